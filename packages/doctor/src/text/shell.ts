// Words of commands that people copy into a shell.

/** One word, whatever it is: a name of a manifest or of a target may hold anything. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
