// The goals, each with its measurement.
import { g3, g4, g9 } from "./delays.ts";
import { g8 } from "./growth.ts";
import { describeMachine } from "./machine.ts";
import { g2 } from "./memory.ts";
import { g1 } from "./period.ts";
import { g5, g7 } from "./request-cpu.ts";
import { g6 } from "./request-tail.ts";
import type { GoalId, GoalResult, Row } from "./result.ts";
import type { Session } from "./session.ts";

export interface Goal {
  readonly id: GoalId;
  readonly title: string;
  readonly peer?: string;
  measure(session: Session): Promise<{ readonly rows: readonly Row[]; readonly notes?: readonly string[] }>;
}

export const goals: readonly Goal[] = [g1, g2, g3, g4, g5, g6, g7, g8, g9];

/** A goal that cannot be measured here has no rows, and a note that says why. */
export async function measureGoal(session: Session, goal: Goal): Promise<GoalResult> {
  const machine = describeMachine();
  const command = `npm run bench -- ${goal.id.toLowerCase()}`;
  session.progress(`${goal.id}: ${goal.title}`);
  const found = await withLimit(goal.measure(session), session.limitMinutes).catch(async (error: unknown) => {
    // What still runs would disturb the next goal.
    await session.reset();
    return { rows: [], notes: [`not measured: ${error instanceof Error ? error.message : String(error)}`] };
  });
  const { rows } = found;
  const notes = [...(found.notes ?? [])];
  if (session.scale !== 1)
    notes.push(`a trial: ${session.scale} of the objects, so the figures are not those of the goal`);
  const peer = rows.some((row) => row.peer !== undefined) ? goal.peer : undefined;
  return { id: goal.id, title: goal.title, command, peer, rows, notes, machine: machine() };
}

async function withLimit<T>(work: Promise<T>, limitMinutes: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new Error(`it took more than ${limitMinutes} minutes`));
    timer = setTimeout(fail, limitMinutes * 60_000);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
