// Reads calendars on a thread of its own, within a budget of time and memory.
import {
  type Clock,
  createWorkerTasks,
  type RunTask,
  serveTasks,
  type TaskBudget,
  type TaskFailure,
  type WorkerTasks,
} from "@plimsoll/component-base";
import { type CalendarTask, readCalendarTask, refused } from "./calendar.ts";

export type CalendarResult = ReturnType<typeof readCalendarTask>;

/** What takes too long or too much memory has a result that says so. */
export type ReadCalendarTask = RunTask<CalendarTask, CalendarResult>;

/** On the thread of the caller. */
export const readInline: ReadCalendarTask = (task) => readCalendarTask(task);

const name = "calendars";
const usualBudget: TaskBudget = { timeMs: 5000, memoryMb: 128 };

export function createCalendarWorker(
  clock: Clock,
  budget = usualBudget,
): WorkerTasks<CalendarTask, CalendarResult> {
  return createWorkerTasks({
    name,
    clock,
    budget,
    file: new URL(import.meta.url),
    failed: (failure) => refused(failureText(failure)),
  });
}

function failureText(failure: TaskFailure): string {
  switch (failure.reason) {
    case "time":
      return `takes more than ${failure.budget.timeMs / 1000} s to read`;
    case "memory":
      return `takes more than ${failure.budget.memoryMb} MB to read, or stops its thread`;
    case "error":
      return `cannot be read: ${failure.message.slice(0, 200)}`;
  }
}

serveTasks(name, readCalendarTask);
