//! Joins the parts of a pattern as the library does, for its joined parts do not always fit what the single ones do.

use super::matcher::{Matcher, Tree};
use super::syntax::Node;

/// Compiles a pattern; `None` where the library fails.
pub(super) fn compile(node: &Node) -> Option<Matcher> {
    let matcher = match node {
        Node::AnyOf(nodes) => {
            return match factored(nodes) {
                Some(node) => compile(&node),
                None => Some(Matcher::AnyOf(all(nodes)?)),
            };
        }
        Node::Pattern(nodes) if nodes.is_empty() => return Some(Matcher::Nothing),
        Node::Pattern(nodes) => joined(minimized(all(nodes)?))?,
        Node::Any => Matcher::Any,
        Node::Super => Matcher::Super,
        Node::Single => Matcher::Single,
        Node::Nothing => Matcher::Nothing,
        Node::List { letters, not } => Matcher::List { letters: letters.clone(), not: *not },
        Node::Range { low, high, not } => Matcher::Range { low: *low, high: *high, not: *not },
        Node::Text(text) => Matcher::Text(text.clone().into()),
    };
    Some(optimized(matcher))
}

fn all(nodes: &[Node]) -> Option<Vec<Matcher>> {
    nodes.iter().map(|node| compile(node).map(optimized)).collect()
}

/// Takes out of alternatives what they all begin or end with.
fn factored(nodes: &[Node]) -> Option<Node> {
    let patterns = nodes.iter().map(|node| match node {
        Node::Pattern(nodes) => Some(nodes.as_slice()),
        _ => None,
    });
    let patterns: Vec<&[Node]> = patterns.collect::<Option<_>>()?;
    let (left, right) = common(&patterns)?;
    if left == 0 && right == 0 {
        return None;
    }
    let first = patterns.first()?;
    let mut result = Vec::new();
    if left > 0 {
        result.push(Node::Pattern(first.get(..left)?.to_vec()));
    }
    let mut rest: Vec<Node> = Vec::new();
    for pattern in &patterns {
        let own = pattern.get(left..pattern.len().checked_sub(right)?)?;
        let node = if own.is_empty() { Node::Nothing } else { Node::Pattern(own.to_vec()) };
        if !rest.contains(&node) {
            rest.push(node);
        }
    }
    if rest.len() > 1 {
        result.push(Node::AnyOf(rest));
    } else {
        result.extend(rest.into_iter().filter(|node| *node != Node::Nothing));
    }
    if right > 0 {
        result.push(Node::Pattern(first.get(first.len().checked_sub(right)?..)?.to_vec()));
    }
    Some(Node::Pattern(result))
}

/// Returns how many parts all patterns begin and end with; the two do not overlap.
fn common(patterns: &[&[Node]]) -> Option<(usize, usize)> {
    if patterns.len() <= 1 {
        return Some((0, 0));
    }
    let (index, least) = patterns.iter().enumerate().min_by_key(|(_, pattern)| pattern.len())?;
    let (mut left, mut right) = (0, 0);
    let (mut left_ends, mut right_ends) = (false, false);
    for place in 0..least.len() {
        if left + right >= least.len() || (left_ends && right_ends) {
            break;
        }
        let from_end = least.len() - 1 - place;
        for (other, pattern) in patterns.iter().enumerate() {
            if left_ends && right_ends {
                break;
            }
            if other == index {
                continue;
            }
            left_ends |= least.get(place) != pattern.get(place);
            // When the left reaches over, what is left belongs to it.
            right_ends |= !left_ends && from_end <= place;
            right_ends |= least.get(from_end) != pattern.get(from_end + pattern.len() - least.len());
        }
        left += usize::from(!left_ends);
        right += usize::from(!right_ends);
    }
    Some((left, right))
}

/// Joins neighbours as long as some can be.
fn minimized(matchers: Vec<Matcher>) -> Vec<Matcher> {
    let mut matchers = matchers;
    loop {
        let mut done: Option<(Matcher, usize, usize)> = None;
        for start in 0..matchers.len() {
            for end in (start + 1..=matchers.len()).rev() {
                let Some(glued) = matchers.get(start..end).and_then(glued) else { continue };
                let swap = done.as_ref().is_none_or(|(known, from, to)| {
                    let is_longer =
                        matches!((known.len(), glued.len()), (Some(known), Some(new)) if new > known);
                    is_longer || to - from < end - start
                });
                if swap {
                    done = Some((glued, start, end));
                }
            }
        }
        let Some((glued, start, end)) = done else { return matchers };
        let before = matchers.len();
        matchers.splice(start..end, [glued]);
        if matchers.len() == before {
            return matchers;
        }
    }
}

/// Makes one of several: a tree around the longest of those of fixed length.
fn joined(mut matchers: Vec<Matcher>) -> Option<Matcher> {
    if matchers.len() <= 1 {
        return matchers.pop();
    }
    if let Some(glued) = glued(&matchers) {
        return Some(glued);
    }
    let longest =
        matchers.iter().enumerate().filter_map(|(index, matcher)| Some((matcher.len()?, index))).max();
    let Some((_, index)) = longest else {
        let rest = joined(matchers.split_off(1))?;
        return Some(Matcher::Tree(Box::new(Tree::new(matchers.pop()?, None, Some(rest)))));
    };
    let right = matchers.split_off(index + 1);
    let value = matchers.pop()?;
    let side = |side: Vec<Matcher>| if side.is_empty() { Some(None) } else { joined(side).map(Some) };
    Some(Matcher::Tree(Box::new(Tree::new(value, side(matchers)?, side(right)?))))
}

/// Makes one of neighbours, where the library has one for them.
fn glued(matchers: &[Matcher]) -> Option<Matcher> {
    if matchers.len() <= 1 {
        return None;
    }
    if let Some(every) = glued_sets(matchers) {
        return Some(every);
    }
    let length = matchers.iter().map(Matcher::len).sum::<Option<usize>>()?;
    Some(Matcher::Row { matchers: matchers.to_vec(), length })
}

/// Joins stars, question marks and negated lists that stop at the same letters.
fn glued_sets(matchers: &[Matcher]) -> Option<Matcher> {
    const SLASH: &[char] = &[super::matcher::SEPARATOR as char];
    let (mut has_any, mut has_super) = (false, false);
    let mut least = 0;
    let mut separators: Option<&[char]> = None;
    for matcher in matchers {
        let stops: &[char] = match matcher {
            Matcher::Super => {
                has_super = true;
                &[]
            }
            Matcher::Any => {
                has_any = true;
                SLASH
            }
            Matcher::Single => {
                least += 1;
                SLASH
            }
            Matcher::List { letters, not: true } => {
                least += 1;
                letters
            }
            _ => return None,
        };
        if *separators.get_or_insert(stops) != stops {
            return None;
        }
    }
    let separators = separators.unwrap_or_default();
    if least == 0 && has_super != has_any {
        return Some(if has_super { Matcher::Super } else { Matcher::Any });
    }
    let mut every = Vec::new();
    if least > 0 {
        every.push(Matcher::Min(least));
        if !has_any && !has_super {
            every.push(Matcher::Max(least));
        }
    }
    if !separators.is_empty() {
        let text: String = separators.iter().collect();
        every.push(Matcher::Contains { text: text.into(), not: true });
    }
    Some(Matcher::EveryOf(every))
}

/// Makes a simpler one of the same meaning, or what the library takes for that.
fn optimized(matcher: Matcher) -> Matcher {
    match matcher {
        Matcher::AnyOf(mut matchers) if matchers.len() == 1 => matchers.pop().unwrap_or(Matcher::Nothing),
        Matcher::List { letters, not: false } if letters.len() == 1 => {
            Matcher::Text(letters.iter().collect::<String>().into())
        }
        Matcher::Tree(mut tree) => {
            tree.left = tree.left.map(optimized);
            tree.right = tree.right.map(optimized);
            let Matcher::Text(text) = &tree.value else { return Matcher::Tree(tree) };
            let text = text.clone();
            match (&tree.left, &tree.right) {
                (None, None) => Matcher::Text(text),
                (Some(Matcher::Super), Some(Matcher::Super)) => Matcher::Contains { text, not: false },
                (Some(Matcher::Super), None) => Matcher::Suffix(text),
                (None, Some(Matcher::Super)) => Matcher::Prefix(text),
                (None, Some(Matcher::Suffix(suffix))) => Matcher::PrefixSuffix(text, suffix.clone()),
                (Some(Matcher::Prefix(prefix)), None) => Matcher::PrefixSuffix(prefix.clone(), text),
                (Some(Matcher::Any), None) => Matcher::SuffixAny(text),
                (None, Some(Matcher::Any)) => Matcher::PrefixAny(text),
                _ => Matcher::Tree(tree),
            }
        }
        matcher => matcher,
    }
}
