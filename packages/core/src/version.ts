/** The version of this package, as records of decisions carry it. */
export const coreVersion = "0.1.0";
