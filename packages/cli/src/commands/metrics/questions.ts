// Questions with numbered choices and a default, at most three in a run.
import { printable } from "@plimsoll/component-base/text";
import type { CliSeams } from "../../seams.ts";

export interface Questions {
  /** The chosen place; the first without a terminal, which is said. */
  choose(question: string, choices: readonly string[]): Promise<number>;
}

const maxQuestions = 3;
/** A namespace may have thousands of workloads. */
const maxChoices = 20;

export function createQuestions(seams: CliSeams, isQuiet: boolean): Questions {
  const { ask, terminal } = seams;
  const shows = terminal?.isErrorTty ?? terminal?.isTty ?? false;
  let asked = 0;
  return {
    async choose(question, given) {
      // Names and labels of a cluster must not control the terminal.
      const choices = given.map(printable);
      if (isQuiet || ask === undefined || !shows || asked >= maxQuestions) {
        const others = choices.slice(1, 4).join(", ");
        seams.writeError(`note: ${question} Took ${choices[0] ?? ""}; there is also ${others}\n`);
        return 0;
      }
      asked += 1;
      const lines = choices.slice(0, maxChoices).map((choice, at) => `  ${at + 1}  ${choice}\n`);
      const more = choices.length - lines.length;
      const rest = more === 0 ? "" : `  and ${more} more: to use one, name it in the command\n`;
      const place = Number(await ask(`${question}\n${lines.join("")}${rest}Number [1]: `));
      return Number.isInteger(place) && place >= 1 && place <= lines.length ? place - 1 : 0;
    },
  };
}
