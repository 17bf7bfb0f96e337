// Measures a tree: the figures by which the house was redesigned.
import { globSync } from "node:fs";
import { join } from "node:path";
import { fileCircles } from "../boundaries/check.ts";
import { readEntries } from "../source/entries.ts";
import { isProduct, packageOf, readPackages } from "../source/files.ts";
import { namesOf } from "../source/names.ts";
import type { SourceFile } from "../source/parse.ts";
import { followWay, starts } from "./call-path.ts";
import { opensWithSentence, undocumentedNames } from "./comments.ts";
import { measureFunctions } from "./functions.ts";
import { countParameters, parametersNamed } from "./parameters.ts";
import { ideas, placesOf } from "./twins.ts";
import { findWords } from "./words.ts";

export interface PackageFigures {
  /** Files and folders at the top of `src`. */
  readonly entries: number;
  readonly files: number;
  /** Files that open with a sentence. */
  readonly opening: number;
  readonly lines: number;
  readonly parameters: { readonly used: number; readonly onlyPassedOn: number };
}

export interface Figures {
  readonly tangled: string;
  readonly tangledAboveLimit: number;
  readonly long: string;
  readonly longAboveLimit: number;
  readonly circles: number;
  readonly largestCircle: number;
  readonly way: { readonly stops: number; readonly files: number; readonly returns: number };
  readonly parametersNamedO: number;
  readonly undocumented: number;
  readonly words: number;
  readonly twins: Readonly<Record<string, number>>;
  readonly packages: Readonly<Record<string, PackageFigures>>;
}

export interface Measured {
  readonly figures: Figures;
  /** One line for each thing that is counted and should not be there. */
  readonly details: readonly string[];
}

/** Reads everything below a folder. `from` is where a spec's way starts, which another tree may have elsewhere. */
export function measure(folder: string, from: readonly string[] = starts): Measured {
  const files = readPackages(folder);
  const product = files.filter(({ path }) => isProduct(path));
  const entries = readEntries(folder);
  const names = namesOf(files, (entry) => entries.find(({ name }) => name === entry)?.path);
  const { maxComplexity, maxLines, tangled, long } = measureFunctions(folder);
  const way = followWay(names, from);
  const circles = fileCircles(product);
  const undocumented = undocumentedNames(entries, names);
  const twins = ideas.map(({ name, ...idea }) => ({ name, places: placesOf({ name, ...idea }, product) }));
  const silent = product.filter((file) => !opensWithSentence(file));
  const withO = product.filter((file) => parametersNamed("o", file) > 0);
  return {
    figures: {
      tangled: maxComplexity,
      tangledAboveLimit: tangled.length,
      long: maxLines,
      longAboveLimit: long.length,
      circles: circles.length,
      largestCircle: Math.max(0, ...circles.map(({ length }) => length)),
      way: { stops: way.stops.length, files: way.files, returns: way.returns },
      parametersNamedO: product.reduce((sum, file) => sum + parametersNamed("o", file), 0),
      undocumented: undocumented.length,
      words: findWords(folder).length,
      twins: Object.fromEntries(twins.map(({ name, places }) => [name, places.length])),
      packages: packageFigures(folder, product, silent),
    },
    details: [
      ...tangled.map(({ name, path, value }) => `${path}: ${name} has complexity ${value}`),
      ...long.map(({ name, path, value }) => `${path}: ${name} has ${value} lines`),
      ...circles.map((circle) => `circle: ${circle.join(" ↔ ")}`),
      ...twins.flatMap(({ name, places }) => places.map((place) => `${place}: has ${name}`)),
      ...undocumented.map((name) => `${name} has no docstring`),
      ...silent.map(({ path }) => `${path}: does not open with a sentence`),
      ...withO.map((file) => `${file.path}: ${parametersNamed("o", file)} parameters named o`),
    ],
  };
}

function packageFigures(
  folder: string,
  product: readonly SourceFile[],
  silent: readonly SourceFile[],
): Readonly<Record<string, PackageFigures>> {
  const names = [...new Set(product.map(({ path }) => packageOf(path)))];
  return Object.fromEntries(
    names.map((name) => {
      const files = product.filter(({ path }) => packageOf(path) === name);
      const counts = files.map(countParameters);
      return [
        name,
        {
          entries: globSync("*", { cwd: join(folder, "packages", name, "src") }).length,
          files: files.length,
          opening: files.filter((file) => !silent.includes(file)).length,
          lines: files.reduce((sum, { text }) => sum + text.trimEnd().split("\n").length, 0),
          parameters: {
            used: counts.reduce((sum, { used }) => sum + used, 0),
            onlyPassedOn: counts.reduce((sum, { onlyPassedOn }) => sum + onlyPassedOn, 0),
          },
        },
      ];
    }),
  );
}
