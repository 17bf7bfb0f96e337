// Cuts texts of objects and servers before they are put into messages.

/** Of one such text inside a message: the longest name of Kubernetes is 253 characters. */
const maxPart = 1_024;

/**
 * The start of a text that an object or a server chose, in UTF-16 code units. Every message that quotes one cuts it here:
 * a selector or the name of a metric may have as many characters as its object.
 */
export function cutText(text: string, length = maxPart): string {
  if (text.length <= length) return text;
  // By way of JSON: a part of a string would keep all of it in memory.
  const start = text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "");
  return JSON.parse(JSON.stringify(`${start}…`)) as string;
}

/** Of a condition, an event, or a decision. */
const maxMessageLength = 4_096;

/** The start of a whole message: 4,096 characters. */
export function cutMessage(message: string): string {
  return cutText(message, maxMessageLength);
}
