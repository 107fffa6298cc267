package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestSumsAreDeclared wants every sealed sum declared to the linter, which checks no other:
// an exported interface with a method that is not exported, takes nothing and returns nothing.
func TestSumsAreDeclared(t *testing.T) {
	sums := 0
	for _, files := range packages(t) {
		for _, source := range files {
			f, err := parser.ParseFile(token.NewFileSet(), source.name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range f.Decls {
				types, ok := decl.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range types.Specs {
					spec, ok := spec.(*ast.TypeSpec)
					if !ok || !spec.Name.IsExported() || !sealed(spec.Type) {
						continue
					}
					sums++
					if len(types.Specs) != 1 || !declared(types.Doc) {
						t.Errorf("%s: the sum %s lacks //sumtype:decl above a declaration of its own", source.name, spec.Name)
					}
				}
			}
		}
	}
	if sums < 6 {
		t.Errorf("found %d sums, want the events and effects of three machines at least", sums)
	}
}

// sealed reports whether a type is an interface with a method that only marks.
func sealed(t ast.Expr) bool {
	i, ok := t.(*ast.InterfaceType)
	if !ok {
		return false
	}
	for _, m := range i.Methods.List {
		f, ok := m.Type.(*ast.FuncType)
		if ok && len(m.Names) == 1 && !m.Names[0].IsExported() && f.Params.NumFields() == 0 && f.Results.NumFields() == 0 {
			return true
		}
	}
	return false
}

func declared(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, line := range doc.List {
		if line.Text == "//sumtype:decl" {
			return true
		}
	}
	return false
}
