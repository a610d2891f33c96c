import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RowEstimate, Warning } from "../../client/about.ts";
import { countText } from "../../format/show-value.ts";
import { callName } from "../../model/find-in-model.ts";
import type { EntitySet, Operation } from "../../model/model.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Description, Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import { Sliced } from "../../parts/sliced.tsx";
import type { ScreenProps } from "../../state/session.ts";
import { type ScreenName, hrefOf, viewOf } from "../../state/view.ts";
import { Kept } from "./kept.tsx";

/** Shows the sets of the service, its singletons, its operations, and the findings of the schema check. */
export function Home({ session }: ScreenProps): JSX.Element {
  const { model, about } = session;
  const unbound = model.operations.filter(({ boundTo }) => boundTo === null);
  return (
    <div class="home">
      <div class="home-head">
        <Heading>{about.title ?? model.title}</Heading>
        <Description text={model.description} />
      </div>
      <Findings warnings={about.warnings} />
      <Kept session={session} />
      <Cards
        title="Sets"
        cards={Array.from(model.sets.values(), (set) => setCard(set, "grid", () => rowsText(about.rows.get(set.name))))}
      />
      {model.sets.size > 0 ? null : (
        <Empty title="This service has no sets">
          <p>Sets appear here once the service declares them. The rules of your user may also hide them.</p>
        </Empty>
      )}
      <Cards
        title="Singletons"
        cards={Array.from(model.singletons.values(), (each) => setCard(each, "record", () => each.type.name))}
      />
      <Cards title="Operations" cards={unbound.map(operationCard)} />
    </div>
  );
}

/** Shows a line, which opens to the findings of the schema check, with remedies. */
function Findings({ warnings }: { readonly warnings: readonly Warning[] }): JSX.Element | null {
  if (warnings.length === 0) return null;
  return (
    <details class="notice notice-warning findings" open={warnings.length < 3}>
      <summary>{countText(warnings.length, "warning")} about the database</summary>
      <DataTable
        label="Warnings"
        columns={["Code", "Place", "Warning", "Remedy"]}
        rows={warnings.map(({ place, message, fix, code }) => [code, place, message, <code>{fix}</code>])}
      />
    </details>
  );
}

/** A name that leads to a view, with its fact and its text, for which a type is read. */
type Card = Readonly<Record<"name" | "href", string>> & { readonly facts: () => readonly string[] };

function Cards({ title, cards }: { readonly title: string; readonly cards: readonly Card[] }): JSX.Element | null {
  if (cards.length === 0) return null;
  return (
    <section class="home-section" aria-labelledby={title}>
      <h2 class="section-head" id={title}>
        {title} <span class="count">{cards.length}</span>
      </h2>
      <Sliced as="ul" class="cards">
        {cards.map((each, index) => (
          <Card key={index} {...each} />
        ))}
      </Sliced>
    </section>
  );
}

/** Shows a card, and in a task of its own its facts, once it comes into view: then its style lets the browser lay it out. */
function Card({ name, href, facts }: Card): JSX.Element {
  const [isSeen, setSeen] = useState(false);
  const [fact, text] = isSeen ? facts() : [];
  const oncontentvisibilityautostatechange = ({ skipped }: ContentVisibilityAutoStateChangeEvent): unknown =>
    skipped || setTimeout(() => setSeen(true));
  return (
    <li class="card" {...{ oncontentvisibilityautostatechange }}>
      <div class="card-head">
        <a href={href}>{name}</a>
        <span class="card-count">{fact}</span>
      </div>
      <p dir="auto">{text}</p>
    </li>
  );
}

const MOST_NAMES = 5;

/** Returns the card of a set or a singleton. Without a description, the first properties show the content. */
function setCard(set: EntitySet, screen: ScreenName, fact: () => string): Card {
  const facts = (): readonly string[] => {
    const { abilities, description, type } = set;
    const names = description === null ? [...type.properties.keys()] : [];
    const text = description ?? names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? " …" : "");
    return [abilities.canRead ? fact() : "not for you", text];
  };
  return { name: set.name, href: hrefOf(viewOf(screen, set.name)), facts };
}

function operationCard(operation: Operation): Card {
  const { kind, parameters, description } = operation;
  const [name, names] = [callName(operation), parameters.map((parameter) => parameter.name)];
  return { name, href: hrefOf(viewOf("operation", name)), facts: () => [kind, description ?? names.join(", ")] };
}

function rowsText(rows: RowEstimate | undefined): string {
  const about = { exact: "", estimate: "about ", least: "more than " };
  return rows === undefined ? "" : about[rows.kind] + countText(rows.count, "row");
}
