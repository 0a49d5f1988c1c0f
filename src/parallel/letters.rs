//! Messages on their way from one strand to another.
//!
//! They stand one behind the other in one buffer, each with a function that knows its
//! type. The buffer goes from hand to hand as a whole, so a message between strands costs
//! no allocation, and many cost one lock.
//!
//! ```text
//!   │ open │ words │ address, message … │ open │ words │ address, message … │
//! ```
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use super::inbox;
use crate::address::{Address, SendError};
use crate::exit::contain;
use crate::mailbox::OutOfMemory;
use crate::scheduler::Core;

/// Delivers a letter, and those behind it of its kind, or drops them where there is no
/// core; says where it ended. So a batch of one type takes one look-up and one indirect call.
///
/// # Safety
///
/// From `letter` to `end` there must be letters, the first of which was written with this
/// function; their contents are moved out. The core must be valid, with nothing of it
/// borrowed.
type Open =
    unsafe fn(letter: *const Word, end: *const Word, core: Option<NonNull<Core>>) -> *const Word;

/// Memory is reserved by the word; what wants a stricter alignment is boxed.
type Word = MaybeUninit<u64>;

/// Before each letter's content.
struct Head {
    open: Open,
    /// Of the content.
    words: usize,
}

const WORD: usize = size_of::<Word>();
const HEAD: usize = size_of::<Head>().div_ceil(WORD);

/// A buffer that has been emptied keeps at most so many words: 256 KiB.
const WORDS_KEPT: usize = 32_768;

#[derive(Default)]
pub(crate) struct Letters {
    words: Vec<Word>,
    count: u64,
}

// SAFETY: every path to `push` asks for messages that are `Send`; see `home.rs`.
unsafe impl Send for Letters {}

impl inbox::Letters for Letters {
    fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl Letters {
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn reserved_bytes(&self) -> usize {
        self.words.capacity() * WORD
    }

    /// The one of two empty buffers that has more room.
    pub(crate) fn or_larger(self, other: Self) -> Self {
        if self.words.capacity() >= other.words.capacity() {
            self
        } else {
            other
        }
    }

    /// Adds a message, or gives it back for want of memory.
    pub(crate) fn push<M: 'static>(
        &mut self,
        to: Address<M>,
        message: M,
    ) -> Result<(), SendError<M>> {
        if align_of::<(Address<M>, M)>() > align_of::<Word>() {
            return self
                .push_content((to, Box::new(message)), open_boxed::<M>)
                .map_err(|(_, message)| SendError::OutOfMemory(*message));
        }
        self.push_content((to, message), open::<M>)
            .map_err(|(_, message)| SendError::OutOfMemory(message))
    }

    fn push_content<C>(&mut self, content: C, open: Open) -> Result<(), C> {
        let words = size_of::<C>().div_ceil(WORD);
        if self.words.try_reserve(HEAD + words).is_err() {
            return Err(content);
        }
        let at = self.words.len();
        // SAFETY: room was reserved, words need no initialization, and their alignment is
        // enough for the head and, as `push` saw to, for the content.
        unsafe {
            self.words.set_len(at + HEAD + words);
            let head = self.words.as_mut_ptr().add(at);
            head.cast::<Head>().write(Head { open, words });
            head.add(HEAD).cast::<C>().write(content);
        }
        self.count += 1;
        Ok(())
    }

    /// Takes over all letters of `others` behind its own, or drops them for want of memory.
    pub(crate) fn append(&mut self, others: &mut Self) -> Result<(), OutOfMemory> {
        if self.count == 0 {
            std::mem::swap(self, others);
            return Ok(());
        }
        if self.words.try_reserve(others.words.len()).is_err() {
            *others = Self::default();
            return Err(OutOfMemory);
        }
        self.words.append(&mut others.words);
        self.count += std::mem::take(&mut others.count);
        Ok(())
    }

    /// Delivers all letters to their core, in order, and keeps the buffer for more.
    ///
    /// # Safety
    ///
    /// The core must be valid and nothing of it borrowed.
    pub(crate) unsafe fn deliver(&mut self, core: NonNull<Core>) {
        // SAFETY: the caller's promise.
        unsafe { self.open_all(Some(core)) };
        if self.words.capacity() > WORDS_KEPT {
            self.words = Vec::new();
        }
    }

    /// # Safety
    ///
    /// The core, if there is one, must be valid and nothing of it borrowed.
    unsafe fn open_all(&mut self, core: Option<NonNull<Core>>) {
        self.count = 0;
        let end = self.words.len();
        // So that a panic in a drop can't have a letter opened twice.
        // SAFETY: the words stay where they are until the next push.
        unsafe { self.words.set_len(0) };
        // SAFETY: `push_content` wrote all that is between the two, letter after letter.
        unsafe {
            let mut letter = self.words.as_ptr();
            let end = letter.add(end);
            while letter < end {
                let Head { open, .. } = letter.cast::<Head>().read();
                letter = open(letter, end, core);
            }
        }
    }
}

impl Drop for Letters {
    fn drop(&mut self) {
        // SAFETY: there is no core.
        unsafe { self.open_all(None) };
    }
}

/// # Safety
///
/// See [`Open`].
unsafe fn open<M: 'static>(
    letter: *const Word,
    end: *const Word,
    core: Option<NonNull<Core>>,
) -> *const Word {
    // SAFETY: the caller's promise.
    unsafe { open_alike::<M, (Address<M>, M)>(letter, end, core, open::<M>, |content| content) }
}

/// # Safety
///
/// See [`Open`].
unsafe fn open_boxed<M: 'static>(
    letter: *const Word,
    end: *const Word,
    core: Option<NonNull<Core>>,
) -> *const Word {
    let unbox = |(to, message): (Address<M>, Box<M>)| (to, *message);
    // SAFETY: the caller's promise.
    unsafe { open_alike(letter, end, core, open_boxed::<M>, unbox) }
}

/// # Safety
///
/// See [`Open`]; `alike` must write contents of type `C`.
#[inline(always)]
unsafe fn open_alike<M: 'static, C>(
    mut letter: *const Word,
    end: *const Word,
    core: Option<NonNull<Core>>,
    alike: Open,
    read: impl Fn(C) -> (Address<M>, M),
) -> *const Word {
    let mut opened = 0;
    while letter < end {
        // SAFETY: the caller's promise: here is a head with its content behind it. The
        // borrow of the core ends with its statement.
        unsafe {
            let Head { open, words } = letter.cast::<Head>().read();
            if opened > 0 && !std::ptr::fn_addr_eq(open, alike) {
                break;
            }
            let (to, message) = read(letter.add(HEAD).cast::<C>().read());
            opened += 1;
            letter = letter.add(HEAD + words);
            let left = match core {
                Some(core) => (*core.as_ptr()).accept(to, message).err(),
                None => Some(SendError::NoActor(message)),
            };
            if left.is_some() {
                // Whatever the message's drop does must not keep the others from arriving.
                contain(|| drop(left));
            }
        }
    }
    letter
}
