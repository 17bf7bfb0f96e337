// Finds what is wrong with CronHorizontalPodAutoscalers, and what differs under Plimsoll.
export { lintTexts } from "./lint.ts";
