import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { rowsIn } from "../../client/service-client.ts";
import { isAbort, messageOf } from "../../client/service-error.ts";
import { toEntity } from "../../format/entity.ts";
import { countText } from "../../format/show-value.ts";
import { findInModel } from "../../model/find-in-model.ts";
import { labelProperties, labelText } from "../../model/label-properties.ts";
import type { EntitySet } from "../../model/model.ts";
import { Heading } from "../../parts/heading.tsx";
import { type LinkItem, LinkList } from "../../parts/link-list.tsx";
import { Empty, Loadable } from "../../parts/loadable.tsx";
import { titleOf, viewOfFinding } from "../../parts/search-box.tsx";
import { textPaths, withText } from "../../query/find-text.ts";
import { keyPredicate, recordPath } from "../../query/literals.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { decode, hrefOf, resourceUrl, viewOf } from "../../state/view.ts";

/** So many sets are searched, so many at once, and so many rows of each are shown. */
const [SETS, AT_ONCE, ROWS, NAMES] = [100, 3, 5, 12];

/** The rows of a set that have the text, and why it could not be searched. */
type Found = Awaited<ReturnType<typeof findIn>>;

/** Shows where a text is: in the names of the model, and in the rows of all sets. */
export function Find({ session, view }: ScreenProps): JSX.Element {
  const text = (view.options.get("text") ?? "").trim();
  const names = findInModel(session.model, text, NAMES);
  const items = names.map((each) => ({ text: titleOf(each), href: hrefOf(viewOfFinding(each)) }));
  return (
    <div>
      <Heading>{`Search: ${text}`}</Heading>
      <LinkList title="Names" items={items} />
      {text === "" ? null : <AllRows key={`${session.signIns.value} ${text}`} {...{ session, text }} />}
    </div>
  );
}

/** Searches the rows of the sets: those with few rows first, and some sets at once. */
function AllRows({ session, text }: { readonly session: OpenSession; readonly text: string }): JSX.Element {
  const { model, about } = session;
  const [found, setFound] = useState<readonly Found[]>([]);
  const size = ({ name }: EntitySet): number => about.rows.get(name)?.count ?? 0;
  const all = [...model.sets.values()].toSorted((a, b) => size(a) - size(b));
  const sets = all.filter((set) => optionsOf(set, text) !== null).slice(0, SETS);
  const loading = useLoaded(text, async (signal) => {
    setFound([]);
    const left = [...sets];
    const searchNext = async (): Promise<void> => {
      for (let set = left.shift(); set !== undefined; set = left.shift()) {
        const each = await findIn(session, set, text, signal);
        setFound((before) => [...before, each]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, searchNext));
  });
  const others = all.filter((set) => !sets.includes(set)).map(({ name }) => `${name} was not searched.`);
  return (
    <>
      {found.map((each) => (
        <LinkList key={each.title} {...each} />
      ))}
      <Loadable loading={loading} label={`Searching ${countText(sets.length, "set")}`} lines={2}>
        {() =>
          found.some(({ items }) => items.length > 0) ? null : (
            <Empty title="No text of these sets contains this">
              <p>Numbers and dates are not searched. Filter a set by them.</p>
            </Empty>
          )
        }
      </Loadable>
      <p class="small dim">{[...found.map(({ fault }) => fault), ...others].join(" ")}</p>
    </>
  );
}

function optionsOf(set: EntitySet, text: string): ReadonlyMap<string, string> | null {
  return set.abilities.canRead ? withText({ ...set, set }, new Map(), text) : null;
}

/** Finds the first rows of a set that have a text. A set that fails does not hide what the others have. */
async function findIn({ client }: OpenSession, set: EntitySet, text: string, signal: AbortSignal) {
  const { type, abilities, name: title } = set;
  const found = optionsOf(set, text) ?? new Map<string, string>();
  const href = hrefOf(viewOf("grid", title, found));
  const names = [...type.key, ...labelProperties(type)].map(({ name }) => name).concat(textPaths({ ...set, set }));
  const options = new Map(found).set("$select", abilities.canSelect ? [...new Set(names)].join(",") : "");
  const headers = { Prefer: `maxpagesize=${ROWS + 1}` };
  if (abilities.canTop) options.set("$top", String(ROWS + 1));
  try {
    const { body } = await client.get(resourceUrl({ path: title, options }), { signal, headers });
    const items = rowsIn(body).map((row, at) => (at < ROWS ? rowItem(set, row, href) : { text: "More rows", href }));
    return { title, href, items: items.slice(0, ROWS + 1), fault: "" };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { title, href, items: [], fault: `${title}: ${messageOf(error)}` };
  }
}

/** A row is a link with its label; its key and its other texts are the note. */
function rowItem(set: EntitySet, row: unknown, grid: string): LinkItem {
  const values = toEntity(row)?.values ?? {};
  const key = decode(keyPredicate(set.type, values) ?? "");
  const label = labelText(labelProperties(set.type), values);
  const path = recordPath(set, row);
  const texts = textPaths({ ...set, set })
    .filter((name) => !set.type.key.some((each) => each.name === name))
    .map((name) => values[name])
    .filter((value) => typeof value === "string" && value !== "" && label?.includes(value) !== true);
  const note = [label === null ? "" : key, texts.join(" · ").slice(0, 120)].join(" ");
  return { text: label ?? key, href: path === null ? grid : hrefOf(viewOf("record", path)), note };
}
