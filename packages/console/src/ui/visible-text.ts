// Text of the cluster as a reader sees it: characters without a form have one, and none changes the order of the others.
import { options, type VNode } from "preact";

/** Controls, formats (among them all that set a direction), separators of lines, and halves of characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const allUnseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** Lines of a message stay lines. */
const blanks = new Set(["\n", "\r", "\t"]);

const rightToLeft = String.raw`[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]`;
const isRightToLeft = new RegExp(rightToLeft, "u");
/** From the first to the last such letter of a phrase, with the words between them. */
const phrases = new RegExp(String.raw`${rightToLeft}+(?:[\p{P}\p{N} ]{0,9}${rightToLeft}+)*`, "gu");
const [isolate, endOfIsolate] = ["\u2068", "\u2069"];

/** A character without a form as its code point; words that run from right to left apart from what is beside them. */
export function visibleText(text: string): string {
  const shown = unseen.test(text) ? text.replaceAll(allUnseen, codePointText) : text;
  return isRightToLeft.test(shown)
    ? shown.replaceAll(phrases, (phrase) => `${isolate}${phrase}${endOfIsolate}`)
    : shown;
}

function codePointText(character: string): string {
  if (blanks.has(character)) return character;
  return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`;
}

const readAttributes = ["title", "aria-label", "aria-valuetext", "placeholder"] as const;

type Props = Record<string, unknown>;

/** For every element that is drawn from now on: no part of the page can forget it. */
export function showAllText(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    if (typeof vnode.type === "string") showTextOf(vnode.props);
    before?.(vnode);
  };
}

function showTextOf(props: Props): void {
  const { children } = props;
  if (typeof children === "string") props["children"] = visibleText(children);
  else if (Array.isArray(children) && children.some((child) => typeof child === "string"))
    props["children"] = children.map((child: unknown) =>
      typeof child === "string" ? visibleText(child) : child,
    );
  for (const name of readAttributes) {
    const value = props[name];
    if (typeof value === "string") props[name] = visibleText(value);
  }
}
