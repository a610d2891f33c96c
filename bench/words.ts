/** A list that has a first item. */
type Words = readonly [string, ...string[]];

export const CATEGORIES: Words = [
  "Beverages",
  "Condiments",
  "Confections",
  "Dairy Products",
  "Grains/Cereals",
  "Meat/Poultry",
  "Produce",
  "Seafood",
];

export const ADJECTIVES: Words = [
  "Aged",
  "Bitter",
  "Crème",
  "Dark",
  "Fine",
  "Golden",
  "Köstlich",
  "Mild",
  "Süß",
  "Wild",
];
export const NOUNS: Words = ["Apple", "Bread", "Cheese", "Fish", "Honey", "Jalapeño", "Kale", "Müsli", "Nut", "Tea"];

export const FIRST_NAMES: Words = [
  "Ana",
  "Björn",
  "Chloé",
  "Dmitrij",
  "Émile",
  "Fatma",
  "Günther",
  "Hanna",
  "伊藤",
  "Jürgen",
];
export const LAST_NAMES: Words = [
  "Ångström",
  "Brown",
  "Çelik",
  "Dvořák",
  "O'Hara",
  "Müller",
  "Núñez",
  "Smith",
  "花子",
  "Žižek",
];

export const CITIES: Words = [
  "Århus",
  "Berlin",
  "Cork",
  "Genève",
  "Graz",
  "Köln",
  "London",
  "México D.F.",
  "São Paulo",
  "東京",
];
export const REGIONS: Words = ["BC", "Île-de-France", "OR", "RJ", "SP", "WA"];
export const STATUSES: Words = ["Draft", "Paid", "Shipped", "Returned"];
export const NOTES: Words = [
  'Leave it at the "back" door',
  "Ring twice, then wait",
  "Vor 10 Uhr liefern – bitte klingeln",
  "First line\nsecond line",
  "No C:\\path, no hurry 😀",
];
