// Generates trajectories with failed writes and lists.
import type { Members } from "../members.ts";
import type { Random } from "../random.ts";
import type { VectorCase } from "../vector-file.ts";
import { trajectoryCase } from "./trajectory.ts";

/** A trajectory with what the public format has no words for: failed writes, bad selectors, failed lists. */
export function decisionCase(random: Random, name: string): VectorCase {
  const trajectory = trajectoryCase(random, name);
  const hpa = trajectory["hpa"] as Members;
  const metadata = { ...(hpa["metadata"] as Members), generation: random.int(0, 3) };
  const steps = trajectory["steps"] as readonly Members[];
  return {
    ...trajectory,
    name,
    hpa: { ...hpa, metadata },
    steps: steps.map((step) => ({
      ...step,
      scale: someTrouble(random, step["scale"] as Members),
      ...(random.chance(0.02) ? { podsError: "the cache is away" } : {}),
    })),
  };
}

function someTrouble(random: Random, scale: Members): Members {
  return {
    ...scale,
    ...(random.chance(0.08) ? { writeError: "the change was refused" } : {}),
    ...(random.chance(0.06) ? { selector: random.pick(selectors) } : {}),
  };
}

const selectors = [
  "",
  "app=web",
  " app = web , tier!=gold ",
  "app in (web,shop),!canary",
  "app notin ()",
  "a in (",
  "a=b,",
  "a==b",
  "a=",
  "a!=",
  "!",
  "a b",
  "a in ()",
  "a>1",
  "a>x",
  "a<",
  "-a=b",
  ",",
  "=b",
  "a=b c",
  "a notin x",
  "a=b,,c=d",
  "a in (x y)",
  "(a)",
  "a=$",
  "x/y/z=1",
  "in in (in)",
] as const;
