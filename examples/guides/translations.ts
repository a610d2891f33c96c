import { Kysely, sql } from "kysely";
import { edm, entityType, hasMany, odataService, type Context } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table categories (id integer primary key)`.execute(db);
await sql`create table products (id integer primary key, category_id integer not null)`.execute(db);
await sql`create table product_texts (product_id integer not null, language text not null, name text not null)`.execute(
  db,
);
await sql`insert into categories values (1)`.execute(db);
await sql`insert into products values (7, 1)`.execute(db);
await sql`insert into product_texts values (7, 'en', 'Saw'), (7, 'de', 'Säge')`.execute(db);

const Category = entityType("Category", { id: edm.int32().key() });
const Product = entityType("Product", { id: edm.int32().key(), categoryId: edm.int32(), name: edm.string() });
const columns = { categoryId: "category_id" };
const languageOf = ({ request }: Context): string => (request.headers.get("Accept-Language") === "de" ? "de" : "en");

const texts = "select p.*, t.name from products p join product_texts t on t.product_id = p.id where t.language = ?";
const inLanguage = (language: string) => ({ sql: texts, parameters: [language] });

const products = sqlEntitySet(Product, {
  db,
  from: inLanguage("en"),
  operations: ["read"],
  columns,
  search: ["name"],
  vary: "Accept-Language",
  queryable: (ctx) => sqlSource(Product, { db, columns, from: inLanguage(languageOf(ctx)) }),
});
const categories = sqlEntitySet(Category, {
  db,
  table: "categories",
  operations: ["read"],
  navigation: { products: hasMany(Product, { on: { id: "categoryId" }, target: "Products" }) },
});

const shop = odataService({ entitySets: [products, categories] });
const headers = { "Accept-Language": "de", Accept: "application/json;odata.metadata=none" };
const response = await shop.fetch(
  new Request("http://shop.example/Categories(1)/Products?$select=Id,Name", { headers }),
);
console.log(await response.text());
console.log(response.headers.get("Vary"));
await db.destroy();
