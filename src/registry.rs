//! Tables of different types, found by number and checked by type.
//!
//! Each table is a heap allocation of its own that stays where it is until the
//! registry is dropped, so a pointer to one stays good while others are added.
//! Pointers instead of references are what lets a running actor's table be
//! reached again (for a spawn or a send) from inside that actor's turn: each
//! access makes a reference of its own and gives it up before user code runs.
#![allow(unsafe_code)]

use std::any::TypeId;
use std::cell::Cell;
use std::ptr::NonNull;

use crate::mailbox::OutOfMemory;

pub(crate) struct Registry<D: ?Sized> {
    tables: Vec<(TypeId, NonNull<D>)>,
    /// In the order of the ids. Types are added once and looked for rarely, since most are
    /// found by `recent` or by number.
    numbers: Vec<(TypeId, u32)>,
    /// The number found last: who spawns many spawns mostly one type.
    recent: Cell<u32>,
}

impl<D: ?Sized> Registry<D> {
    pub(crate) fn new() -> Self {
        Self {
            tables: Vec::new(),
            numbers: Vec::new(),
            recent: Cell::new(0),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.tables.len()
    }

    /// The table of type `T`.
    #[inline]
    pub(crate) fn find<T: 'static>(&self) -> Option<NonNull<T>> {
        if let Some(table) = self.get(self.recent.get() as usize) {
            return Some(table);
        }
        let number = self.number_of(TypeId::of::<T>())?;
        self.recent.set(number);
        self.get(number as usize)
    }

    #[inline(never)]
    fn number_of(&self, type_id: TypeId) -> Option<u32> {
        let found = self.numbers.binary_search_by_key(&type_id, |(id, _)| *id);
        found.ok().map(|place| self.numbers[place].1)
    }

    /// Adds the table of type `T`; `erase` turns it into what the registry holds.
    pub(crate) fn add<T: 'static>(
        &mut self,
        table: Box<T>,
        erase: fn(Box<T>) -> Box<D>,
    ) -> Result<NonNull<T>, OutOfMemory> {
        self.reserve()?;
        let table = NonNull::from(Box::leak(erase(table)));
        self.insert(TypeId::of::<T>(), table);
        Ok(table.cast())
    }

    // Once for all types, not once for each: it is a good part of what a type costs in code.
    #[inline(never)]
    fn reserve(&mut self) -> Result<(), OutOfMemory> {
        self.tables.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.numbers.try_reserve(1).map_err(|_| OutOfMemory)
    }

    #[inline(never)]
    fn insert(&mut self, type_id: TypeId, table: NonNull<D>) {
        let number = self.tables.len() as u32;
        self.tables.push((type_id, table));
        let place = self.numbers.partition_point(|(other, _)| *other < type_id);
        self.numbers.insert(place, (type_id, number));
    }

    /// The table with this number, if it is one of type `T`.
    #[inline]
    pub(crate) fn get<T: 'static>(&self, number: usize) -> Option<NonNull<T>> {
        match self.tables.get(number) {
            Some((type_id, table)) if *type_id == TypeId::of::<T>() => Some(table.cast()),
            _ => None,
        }
    }

    /// All tables. Not while one of them is being used.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &D> {
        // SAFETY: the tables live as long as the registry; that none is mutably
        // borrowed holds since the callers run between turns.
        self.tables
            .iter()
            .map(|(_, table)| unsafe { table.as_ref() })
    }
}

impl<D: ?Sized> Drop for Registry<D> {
    fn drop(&mut self) {
        for (_, table) in self.tables.drain(..) {
            // SAFETY: `add` leaked this box, and nobody else frees it.
            drop(unsafe { Box::from_raw(table.as_ptr()) });
        }
    }
}
