//! When a search without rounds is over (Dijkstra, EWD 998: Safra's algorithm).
//!
//! A token goes around among processes that have nothing to do, and sums up how many messages were sent more than
//! received. A process that has received something since the token was there may have become busy behind its back:
//! it makes the token black, and then the sum says nothing. The search is over when a white token comes back to the
//! first process with the sum of nothing.

use super::{Exchange, message};

/// What a process knows of the token.
#[derive(Debug)]
pub(crate) struct Termination {
    /// Whether something was received since the token was here.
    is_black: bool,
    /// The token, if it is here.
    token: Option<Token>,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    balance: i64,
    is_black: bool,
}

impl Termination {
    /// The first process has the token, which has been nowhere.
    pub(crate) fn new(index: usize) -> Termination {
        Termination { is_black: true, token: (index == 0).then_some(Token { balance: 0, is_black: true }) }
    }

    /// A message with states arrived.
    pub(crate) fn receive(&mut self) {
        self.is_black = true;
    }

    /// The token arrived.
    pub(crate) fn take(&mut self, words: &[u64]) {
        self.token = Some(Token { balance: words[0] as i64, is_black: words[1] != 0 });
    }

    /// This process has nothing to do. If the token is here it goes on; whether it says that the search is over.
    /// The balance is the number of messages that this process has sent more than received.
    pub(crate) fn pass(&mut self, peers: &dyn Exchange, balance: i64) -> bool {
        let Some(token) = self.token.take() else { return false };
        let sum = token.balance + balance;
        let is_black = token.is_black || self.is_black;
        let next = match peers.index() {
            0 if !is_black && sum == 0 => return true,
            0 => Token { balance: 0, is_black: false },
            _ => Token { balance: sum, is_black },
        };
        self.is_black = false;
        let to = (peers.index() + 1) % peers.count();
        peers.send(to, vec![message::TOKEN, next.balance as u64, next.is_black.into()]);
        false
    }
}
