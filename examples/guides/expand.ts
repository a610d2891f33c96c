import { arraySource, edm, entitySet, entityType, hasMany, hasRequired, odataService } from "odatakit";

const Author = entityType("Author", { id: edm.int32().key(), name: edm.string() });
const Book = entityType("Book", { id: edm.int32().key(), title: edm.string(), authorId: edm.int32().ignored() });
const authors = [{ id: 1, name: "Ada" }];
const books = [
  { id: 10, title: "Alpha", authorId: 1 },
  { id: 11, title: "Beta", authorId: 1 },
];

const Authors = entitySet(Author, {
  queryable: () => arraySource(Author, authors),
  navigation: {
    books: hasMany(Book, {
      target: "Books",
      getBatch: (authorIds) => new Map(authorIds.map((id) => [id, books.filter(({ authorId }) => authorId === id)])),
    }),
  },
});
const Books = entitySet(Book, {
  queryable: () => arraySource(Book, books),
  navigation: { author: hasRequired(Author, { target: "Authors", on: { authorId: "id" } }) },
});

const library = odataService({ entitySets: [Authors, Books] });
const target = "http://library.example/Authors?$expand=Books($select=Title;$filter=Id gt 10;$expand=Author)";
const response = await library.fetch(
  new Request(target, { headers: { Accept: "application/json;odata.metadata=none" } }),
);
console.log(await response.text());
