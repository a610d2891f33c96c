import { odataService, type Context, type EntitySource, type RowPredicate } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import type { ServiceDefinition } from "../../../src/definition/model/service-definition.ts";
import { compileRowRule, type DeclaredRowRule, type RowRule } from "../../../src/definition/sets/authorization.ts";
import type { SearchClause } from "../../../src/language/query/clauses.ts";
import { mentionsOf } from "../../../src/language/query/mentions.ts";
import type { QueryableSource, RowRestriction } from "../../../src/language/query/source.ts";
import { COMMON, type Service, type Shared } from "../../engine/executors/relations-memory.ts";
import { Author, Book, Chapter, Note, Publisher, Tag, type Relations } from "../../engine/executors/relations-model.ts";
import { navigationsOf } from "../../engine/executors/relations-navigations.ts";
import { tableOptions, type TablesPlace } from "../../engine/executors/relations-tables.ts";

/** The visible rows of each set per user: as rules of odatakit, and as predicates. */
export interface Visibility {
  readonly rules: Readonly<Record<string, DeclaredRowRule>>;
  readonly visible: (data: Relations, user: number) => Relations;
}

/** The operators of a property in a rule, whatever its type. */
type Operand = Readonly<
  Record<"eq" | "ne" | "gt" | "ge" | "lt" | "le" | "in" | "startsWith", (value: unknown) => RowPredicate>
> & { readonly isNull: () => RowPredicate };

/** The properties that the rules below use. */
interface RuleRow extends Readonly<
  Record<"number" | "rating" | "publisherNumber" | "pages" | "title" | "tagCode" | "label", Operand>
> {
  readonly mentor: { readonly name: Operand };
  readonly author: { readonly rating: Operand };
  readonly parent: { readonly weight: Operand };
  readonly chapter: { readonly book: { readonly pages: Operand } };
  readonly book: {
    readonly active: Operand;
    readonly author: { readonly mentor: { readonly id: Operand } };
  };
}

/** A rule for users with a number. */
function rule(of: (limit: number, row: RuleRow) => RowPredicate): DeclaredRowRule {
  return (user, row) => of(Number(user.id), row as RuleRow);
}

/** Rules on own, nullable and ignored properties, and along one, two and three navigations. */
export const VISIBILITY: Visibility = {
  rules: {
    Publishers: rule((limit, row) => row.number.le(limit)),
    Authors: rule((limit, row) =>
      row.rating.ge("1").or(row.mentor.name.isNull().not()).or(row.publisherNumber.eq(limit)),
    ),
    Books: rule((limit, row) => row.author.rating.gt("1").not().and(row.pages.ne(limit))),
    Chapters: rule((limit, row) =>
      row.book.active
        .eq(true)
        .or(row.book.author.mentor.id.in([limit, 3]))
        .or(row.title.eq("Ada")),
    ),
    Notes: rule((limit, row) => row.tagCode.in(["x", "ä", "it's", null]).or(row.chapter.book.pages.gt(limit).not())),
    Tags: rule((limit, row) =>
      row.label
        .startsWith("A")
        .not()
        .and(row.parent.weight.lt(BigInt(limit)).not()),
    ),
  },
  visible: (data, limit) => {
    const authorOf = (id: number | null) => data.authors.find((each) => each.id === id) ?? null;
    const bookOf = (id: string | null) => data.books.find((each) => each.id === id) ?? null;
    const isMore = (value: string | number | null | undefined, than: number): boolean =>
      value !== null && value !== undefined && Number(value) > than;
    return {
      ...data,
      publishers: data.publishers.filter(({ number }) => number <= limit),
      authors: data.authors.filter(
        ({ rating, mentorId, publisherNumber }) =>
          (rating !== null && Number(rating) >= 1) ||
          (authorOf(mentorId)?.name ?? null) !== null ||
          publisherNumber === limit,
      ),
      books: data.books.filter(({ authorId, pages }) => !isMore(authorOf(authorId)?.rating, 1) && pages !== limit),
      chapters: data.chapters.filter(({ bookId, title }) => {
        const book = bookOf(bookId);
        const mentor = authorOf(authorOf(book?.authorId ?? null)?.mentorId ?? null);
        return book?.active === true || (mentor !== null && [limit, 3].includes(mentor.id)) || title === "Ada";
      }),
      notes: data.notes.filter(({ tagCode, bookId, chapterNumber }) => {
        const chapter = data.chapters.find((each) => each.bookId === bookId && each.number === chapterNumber);
        const isLong = isMore(bookOf(chapter?.bookId ?? null)?.pages, limit);
        return tagCode === null || ["x", "ä", "it's"].includes(tagCode) || !isLong;
      }),
      tags: data.tags.filter(({ label, parentCode }) => {
        const weight = data.tags.find(({ code }) => code === parentCode)?.weight ?? null;
        return label !== null && !label.startsWith("A") && !(weight !== null && weight < BigInt(limit));
      }),
    };
  },
};

const compiled = new WeakMap<object, Map<string, RowRule>>();

function ruleOf(service: ServiceDefinition, set: string, rules: Visibility["rules"]): RowRule {
  const known = compiled.get(service) ?? new Map<string, RowRule>();
  compiled.set(service, known);
  const sets = new Map(Array.from(service.entitySets, ([name, { entitySet }]) => [name, entitySet]));
  const entitySet = sets.get(set);
  const declared = rules[set];
  if (entitySet === undefined || declared === undefined) throw new Error(`There is no set ${set}.`);
  const rule = known.get(set) ?? compileRowRule(declared, entitySet, sets);
  known.set(set, rule);
  return rule;
}

/** The sources of all sets, with all their rows. */
function sourcesOf({ db, distributed = false, ...place }: TablesPlace) {
  const options = tableOptions({ db, distributed, ...place });
  const of = ({ table, ...others }: { readonly table: string; readonly columns?: object }): object => ({
    db,
    distributed,
    from: table,
    ...("columns" in others ? { columns: others.columns } : {}),
  });
  const searchOf = ({ options: { search } }: { readonly options: { readonly search?: unknown } }): unknown => search;
  return {
    all: {
      Publishers: sqlSource(Publisher, of(options.publishers) as never),
      Authors: sqlSource(Author, of(options.authors) as never),
      Books: sqlSource(Book, of(options.books) as never),
      Chapters: sqlSource(Chapter, of(options.chapters) as never),
      Notes: sqlSource(Note, of(options.notes) as never),
      Tags: sqlSource(Tag, of(options.tags) as never),
    },
    searches: {
      Authors: searchOf(sqlEntitySet(Author, options.authors)),
      Books: searchOf(sqlEntitySet(Book, options.books)),
      Tags: searchOf(sqlEntitySet(Tag, options.tags)),
    },
  };
}

/** A service over tables that applies the rules to the user named in a header. */
export function restrictedService(
  place: TablesPlace,
  data: Relations,
  { rules }: Pick<Visibility, "rules">,
  shared: Shared = {},
): Service {
  const { all, searches } = sourcesOf(place);
  const bySet: Readonly<Record<string, QueryableSource>> = all;
  const restrict = <S extends QueryableSource>(source: S, set: string, context: Context): S => {
    const service = context.service as ServiceDefinition;
    const user = { id: context.request.headers.get("x-user") ?? "1" };
    const condition = ruleOf(service, set, rules).conditionFor(user);
    if (condition === "all") return source;
    if (condition === "none") throw new Error("No rule here says so.");
    const mentioned = mentionsOf({ filter: condition.filter, orderBy: [] })?.entitySets ?? [];
    const sources = new Map(Array.from(mentioned, (entitySet) => [entitySet, bySet[entitySet.name]!] as const));
    const restriction: RowRestriction = { ...condition, sources };
    return source.restrict?.(restriction) as S;
  };
  // Known at startup, like the target of a table: declared links are checked with it.
  const shown = <S extends QueryableSource>(source: S, set: string) =>
    Object.assign((context: Context): S => restrict(source, set, context), { source });
  const found =
    <S extends QueryableSource>(search: unknown, set: string) =>
    (clause: SearchClause, context: Context): S =>
      restrict((search as (clause: SearchClause) => S)(clause), set, context);
  const navigation = navigationsOf("tables", data);
  const options = tableOptions(place);
  return odataService({
    ...COMMON,
    ...shared,
    entitySets: [
      sqlEntitySet(Publisher, {
        ...options.publishers,
        queryable: shown(all.Publishers, "Publishers"),
        navigation: navigation.publishers,
      }),
      sqlEntitySet(Author, {
        ...options.authors,
        queryable: shown(all.Authors, "Authors"),
        search: found<EntitySource<typeof Author>>(searches.Authors, "Authors"),
        navigation: navigation.authors,
      }),
      sqlEntitySet(Book, {
        ...options.books,
        queryable: shown(all.Books, "Books"),
        search: found<EntitySource<typeof Book>>(searches.Books, "Books"),
        navigation: navigation.books,
      }),
      sqlEntitySet(Chapter, {
        ...options.chapters,
        queryable: shown(all.Chapters, "Chapters"),
        navigation: navigation.chapters,
      }),
      sqlEntitySet(Note, { ...options.notes, queryable: shown(all.Notes, "Notes"), navigation: navigation.notes }),
      sqlEntitySet(Tag, {
        ...options.tags,
        queryable: shown(all.Tags, "Tags"),
        search: found<EntitySource<typeof Tag>>(searches.Tags, "Tags"),
        navigation: navigation.tags,
      }),
    ],
  });
}
