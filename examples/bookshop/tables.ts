import { sql, type Kysely } from "kysely";

export interface Tables {
  authors: { id: number; name: string };
  currencies: { code: string; symbol: string };
  genres: { id: number; parent_id: number | null };
  genre_texts: { genre_id: number; language: string; name: string };
  books: { id: number; author_id: number; genre_id: number; currency_code: string; price: number; stock: number };
  book_texts: { book_id: number; language: string; title: string; about: string };
}

const TABLES = [
  "authors (id integer not null primary key, name varchar(80) not null)",
  "currencies (code varchar(3) not null primary key, symbol varchar(3) not null)",
  "genres (id integer not null primary key, parent_id integer, foreign key (parent_id) references genres (id))",
  `genre_texts (genre_id integer not null, language varchar(2) not null, name varchar(80) not null,
    primary key (genre_id, language), foreign key (genre_id) references genres (id))`,
  `books (id integer not null primary key, author_id integer not null, genre_id integer not null,
    currency_code varchar(3) not null, price bigint not null, stock integer not null check (stock >= 0),
    foreign key (author_id) references authors (id), foreign key (genre_id) references genres (id),
    foreign key (currency_code) references currencies (code))`,
  `book_texts (book_id integer not null, language varchar(2) not null, title varchar(80) not null,
    about varchar(400) not null, primary key (book_id, language), foreign key (book_id) references books (id))`,
];

/** Creates the tables that do not exist, and fills an empty database. */
export async function createTables(db: Kysely<Tables>): Promise<void> {
  for (const table of TABLES) await sql.raw(`create table if not exists ${table}`).execute(db);
  if ((await db.selectFrom("authors").select("id").execute()).length > 0) return;
  await db.transaction().execute(async (transaction) => {
    const rows = (text: string): string[][] => text.split("\n").map((line) => line.trim().split(" | "));
    for (const [id, name = ""] of rows(AUTHORS)) {
      await transaction
        .insertInto("authors")
        .values({ id: Number(id), name })
        .execute();
    }
    for (const [code = "", symbol = ""] of rows("EUR | €\nUSD | $")) {
      await transaction.insertInto("currencies").values({ code, symbol }).execute();
    }
    for (const [id, parent, en = "", de = ""] of rows(GENRES)) {
      const genre = Number(id);
      await transaction
        .insertInto("genres")
        .values({ id: genre, parent_id: Number(parent) || null })
        .execute();
      const texts = { en, de };
      for (const [language, name] of Object.entries(texts)) {
        await transaction.insertInto("genre_texts").values({ genre_id: genre, language, name }).execute();
      }
    }
    for (const [id, author, genre, currency_code = "", price, stock, en = "", de] of rows(BOOKS)) {
      const keys = { id: Number(id), author_id: Number(author), genre_id: Number(genre) };
      const values = { ...keys, currency_code, price: Number(price), stock: Number(stock) };
      await transaction.insertInto("books").values(values).execute();
      for (const [language, text] of Object.entries({ en, ...(de !== undefined && { de }) })) {
        const [title = "", about = ""] = text.split(": ");
        await transaction.insertInto("book_texts").values({ book_id: keys.id, language, title, about }).execute();
      }
    }
  });
}

const AUTHORS = `1 | Theodor Storm
  2 | Mary Shelley
  3 | Jules Verne`;
const GENRES = `1 | - | Fiction | Belletristik
  2 | 1 | Novella | Novelle
  3 | 1 | Science fiction | Zukunftsroman
  4 | 3 | Voyage | Reise`;
// The last book has no German text.
const BOOKS = `1 | 1 | 2 | EUR | 950 | 8 | The Rider on the White Horse: A dyke, a storm and a ghost | Der Schimmelreiter: Ein Deich, ein Sturm und ein Spuk
  2 | 2 | 3 | USD | 1250 | 3 | Frankenstein: A student makes a man | Frankenstein: Ein Student erschafft einen Menschen
  3 | 3 | 4 | EUR | 1100 | 20 | Around the World in Eighty Days: A bet and a detective | Reise um die Erde in 80 Tagen: Eine Wette und ein Detektiv
  4 | 3 | 4 | EUR | 1300 | 5 | From the Earth to the Moon: A club builds a cannon`;
