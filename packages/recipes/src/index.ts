// The recipe book, and what it knows of rules and clusters.
export { type Recipe, recipes } from "./book.ts";
export { type KnownRule, knownOfConfined, mistakesOf, recipesOf, recipesServedBy } from "./known.ts";
