import type { JSX } from "preact";
import type { RowEstimate, Warning } from "../../client/about.ts";
import { countText } from "../../format/show-value.ts";
import { callName } from "../../model/find-in-model.ts";
import type { EntitySet, Operation } from "../../model/model.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Description, Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import type { ScreenProps } from "../../state/session.ts";
import { hrefOf, viewOf } from "../../state/view.ts";
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
      <Cards title="Sets" cards={Array.from(model.sets.values(), (set) => setCard(set, about.rows.get(set.name)))} />
      {model.sets.size > 0 ? null : (
        <Empty title="This service has no sets">
          <p>Sets appear here once the service declares them. The rules of your user may also hide them.</p>
        </Empty>
      )}
      <Cards title="Singletons" cards={Array.from(model.singletons.values(), singletonCard)} />
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

/** A name that leads to a view, with its facts. */
type Card = Readonly<Record<"name" | "href" | "fact" | "text", string>>;

function Cards({ title, cards }: { readonly title: string; readonly cards: readonly Card[] }): JSX.Element | null {
  if (cards.length === 0) return null;
  return (
    <section class="home-section" aria-labelledby={title}>
      <h2 class="section-head" id={title}>
        {title} <span class="count">{cards.length}</span>
      </h2>
      <ul class="cards">
        {cards.map(({ name, href, fact, text }, index) => (
          <li key={index} class="card">
            <div class="card-head">
              <a href={href}>{name}</a>
              <span class="card-count">{fact}</span>
            </div>
            <p dir="auto">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

const MOST_NAMES = 5;

function setCard(set: EntitySet, rows: RowEstimate | undefined): Card {
  const { name, abilities } = set;
  const fact = rows === undefined ? "" : rowsText(rows);
  const href = hrefOf(viewOf("grid", name));
  return { name, href, fact: abilities.canRead ? fact : "not for you", text: contentText(set) };
}

function singletonCard(singleton: EntitySet): Card {
  const { name, type, abilities } = singleton;
  const fact = abilities.canRead ? type.name : "not for you";
  return { name, href: hrefOf(viewOf("record", name)), fact, text: contentText(singleton) };
}

/** Without a description, the first properties show the content. */
function contentText({ description, type }: EntitySet): string {
  const names = [...type.properties.keys()];
  return description ?? names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? " …" : "");
}

function operationCard(operation: Operation): Card {
  const { kind, parameters, description } = operation;
  const [name, names] = [callName(operation), parameters.map((parameter) => parameter.name)];
  return { name, href: hrefOf(viewOf("operation", name)), fact: kind, text: description ?? names.join(", ") };
}

function rowsText({ count, kind }: RowEstimate): string {
  const about = { exact: "", estimate: "about ", least: "more than " };
  return about[kind] + countText(count, "row");
}
