import type { Check } from "./difference.ts";

export const checkWithCore: Check = () => [];
