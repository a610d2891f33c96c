create table customers (
  id integer primary key,
  name text not null,
  country text not null
);
create table products (
  id integer primary key,
  name text not null,
  price_cents integer not null
);
create table orders (
  id integer primary key,
  customer_id integer not null references customers (id),
  product_id integer not null references products (id),
  quantity integer not null,
  placed_on text not null
);
create index orders_customer on orders (customer_id);
create index orders_product on orders (product_id);
insert into customers values (1, 'Ada', 'PT'), (2, 'Grace', 'US');
insert into products values (1, 'Chair', 4999), (2, 'Table', 12000), (3, 'Lamp', 1950);
insert into orders values
  (1, 1, 1, 4, '2024-02-29'),
  (2, 1, 2, 1, '2024-03-01'),
  (3, 2, 3, 2, '2024-03-01');
