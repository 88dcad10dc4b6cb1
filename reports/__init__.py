"""What may be published: data types, tables, pages, anonymity and leak check. Cannot see identities."""
