// Questions with numbered choices and a default, at most three in a run.
import { printable } from "@plimsoll/component-base/text";
import { cutText } from "@plimsoll/core/redact";
import { CliError, type CliSeams } from "../../seams.ts";

const maxQuestions = 3;
/** A namespace may have thousands of workloads. */
const maxChoices = 20;
const maxAnswers = 3;
const otherwise = "name your choice in the command, or take the first with --yes";

export function createQuestions(seams: CliSeams, isQuiet: boolean) {
  const { ask, terminal } = seams;
  const shows = terminal?.isErrorTty ?? terminal?.isTty ?? false;
  let asked = 0;
  const answerTo = async (prompt: string, question: string): Promise<string> => {
    try {
      return ((await ask?.(prompt)) ?? "").trim();
    } catch (error) {
      // Ctrl-D.
      if (seams.signal.aborted || !(error instanceof Error) || error.name !== "AbortError") throw error;
      throw new CliError(`${question} The input ended without an answer: ${otherwise}`);
    }
  };
  return {
    /**
     * The chosen place; the first without a terminal, which is said.
     * @throws CliError after three answers that are none of the numbers
     */
    async choose(question: string, given: readonly string[]): Promise<number> {
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
      let said = `${question}\n${lines.join("")}${rest}`.trimEnd();
      for (let answers = 0; answers < maxAnswers; answers += 1) {
        const answer = await answerTo(`${said}\nNumber [1]: `, question);
        const place = answer === "" ? 1 : Number(answer);
        if (/^\d*$/.test(answer) && place >= 1 && place <= lines.length) return place - 1;
        said = `"${printable(cutText(answer, 40))}" is not a number from 1 to ${lines.length}`;
      }
      throw new CliError(`${question} ${said}: ${otherwise}`);
    },
  };
}
