/** The text of an entity; pieces of it, which are written while they are sent, if its expansions make it long. */
export type EntityText = string | Iterable<string>;

/** The rest of a list that follows so many characters is written while it is sent. */
const LONG_TEXT = 1 << 19;

/** Pieces of fewer characters are joined. */
const PIECE_LENGTH = 8 * 1024;

/** Texts of items, with commas between texts that are not empty. */
interface TextList<Item> {
  readonly before: string;
  /** The text between `before` and the first item: a comma, or nothing. */
  readonly separator: "" | ",";
  readonly items: readonly Item[];
  readonly write: (item: Item, index: number) => EntityText;
  readonly after: string;
}

/** Writes a list. Other requests run between the pieces of a long one. */
export function joinTexts<Item>(list: TextList<Item>): EntityText {
  let text = list.before;
  let { separator } = list;
  let index = 0;
  for (const item of list.items) {
    const next = list.write(item, index);
    index += 1;
    if (next === "") continue;
    text += separator;
    separator = ",";
    if (typeof next !== "string" || text.length > LONG_TEXT) return piecesOf(list, [text, next], index);
    text += next;
  }
  return text + list.after;
}

/** Returns a text after another one. */
export function prefixed(before: string, text: EntityText): EntityText {
  return typeof text === "string" ? before + text : piecesOf(NOTHING, [before, text], 0);
}

const NOTHING: TextList<never> = { before: "", separator: "", items: [], write: () => "", after: "" };

/**
 * @param begun the texts that have been written
 * @param start the index of the next item
 */
function* piecesOf<Item>(
  list: TextList<Item>,
  begun: readonly EntityText[],
  start: number,
): Generator<string, void, void> {
  let piece = "";
  for (const text of textsOf(list, begun, start)) {
    if (typeof text === "string") {
      piece += text;
    } else {
      yield piece;
      yield* text;
      piece = "";
    }
    if (piece.length >= PIECE_LENGTH) {
      yield piece;
      piece = "";
    }
  }
  yield piece + list.after;
}

function* textsOf<Item>(
  { items, write }: TextList<Item>,
  begun: readonly EntityText[],
  start: number,
): Generator<EntityText, void, void> {
  yield* begun;
  for (let index = start; index < items.length; index += 1) {
    // The index is that of an item.
    const text = write(items[index] as Item, index);
    if (text === "") continue;
    yield ",";
    yield text;
  }
}
