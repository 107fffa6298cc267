// Package openai asks models over OpenAI's Chat Completions API: OpenAI's own and
// those of the many servers that speak it (Azure's v1 endpoint, OpenRouter, vLLM,
// Ollama, llama.cpp). How such a server differs is its Profile. The package puts
// one request into the API's words and reads one stream; it retries nothing and
// knows no model by name and no price.
package openai
