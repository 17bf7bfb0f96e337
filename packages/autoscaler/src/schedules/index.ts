export { calendarReader } from "./calendar.ts";
