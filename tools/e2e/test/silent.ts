const nothing = () => {};

/** A logger for processes under test whose log is not read. */
export const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
