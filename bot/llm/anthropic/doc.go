// Package anthropic asks Claude models over Anthropic's Messages API. It puts one
// request into the API's words and reads one stream; it retries nothing, knows no
// model by name and no price, and sends none of the parameters that some current
// model refuses (temperature, a prefilled answer, a forced tool, thinking).
package anthropic
