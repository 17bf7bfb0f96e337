export { movedBounds } from "../bounds/plan.ts";
export { calendarReader } from "./calendar.ts";
