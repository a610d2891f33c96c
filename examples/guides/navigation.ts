import { edm, entitySet, entityType, hasMany, odataService } from "odatakit";

const Author = entityType("Author", { id: edm.int32().key() });
const Book = entityType("Book", { id: edm.int32().key().computed(), title: edm.string(), authorId: edm.int32() });
const books = [{ id: 10, title: "Alpha", authorId: 1 }];

const Authors = entitySet(Author, {
  navigation: {
    books: hasMany(Book, {
      on: { id: "authorId" },
      target: "Books",
      // null: the author does not exist.
      get: (id) => (id === 1 ? books.filter(({ authorId }) => authorId === id) : null),
      create: (id, book) => (id === 1 ? { ...book, id: 11 } : null),
    }),
  },
});

const library = odataService({ entitySets: [Authors, entitySet(Book, { getAll: () => books })] });
const init = { method: "POST", body: '{"Title":"Beta"}', headers: { "Content-Type": "application/json" } };
const response = await library.fetch(new Request("http://library.example/Authors(1)/Books?$select=AuthorId", init));
console.log(await response.text());
