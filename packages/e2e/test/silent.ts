const nothing = () => {};

/** A logger for processes under test whose log nobody reads. */
export const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
