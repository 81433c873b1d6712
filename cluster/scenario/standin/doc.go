// Package standin has the endpoints that scripts put where a program's would be. They obey the rule of all endpoints; the
// scripts around them, in package scenario, need not.
package standin
