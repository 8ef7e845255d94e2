//! The seam over which validation runs: JSON text and Python objects look the same from here.

use crate::error::{Code, Error, Result};
use crate::json::{Tree, Value, push_tree};
use std::borrow::Cow;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// null, None
    Null,
    /// true or false; never an integer
    Bool(bool),
    /// a number without fraction and exponent
    Integer,
    /// any other number
    Float,
    /// text
    Text,
    /// bytes, which JSON does not have
    Bytes,
    /// a list of values
    List,
    /// keys and values
    Object,
    /// nothing that JSON can say
    Other,
}

/// A value that can be validated. Every method is total: it answers or names what is wrong.
pub trait Node<'n>: Clone {
    /// What the value is.
    fn shape(&self) -> Shape;
    /// The text of a [`Shape::Text`].
    fn text(&self) -> Result<Cow<'_, str>>;
    /// The bytes of a [`Shape::Bytes`].
    fn bytes(&self) -> Result<Vec<u8>>;
    /// The digits of a [`Shape::Integer`].
    fn integer(&self) -> Result<Cow<'_, str>>;
    /// The value of a key of a [`Shape::Object`]; the last one where the key repeats. Names come from the tables.
    fn get(&self, name: &'static str) -> Result<Option<Self>>;
    /// How many entries a [`Shape::Object`] has, repeated keys included.
    fn size(&self) -> Result<usize>;
    /// The entries of a [`Shape::Object`], in order, repeated keys included.
    fn entries(&self) -> Result<Vec<(Cow<'n, str>, Self)>>;
    /// The elements of a [`Shape::List`], refused when there are more than `max`.
    fn elements(&self, max: usize) -> Result<Vec<Self>>;
    /// Appends the value as compact JSON.
    fn push_json(&self, out: &mut String, max_depth: usize) -> Result<()>;
    /// Refuses a value nested deeper than this. Values that capture drops are not looked at otherwise.
    fn check_depth(&self, max_depth: usize) -> Result<()>;
    /// Where the value begins in its text, if it has one.
    fn offset(&self) -> Option<usize>;
}

impl<'n> Node<'n> for &'n Tree<'n> {
    fn shape(&self) -> Shape {
        match &self.value {
            Value::Null => Shape::Null,
            Value::Bool(yes) => Shape::Bool(*yes),
            Value::Number(text) if text.contains(['.', 'e', 'E']) => Shape::Float,
            Value::Number(_) => Shape::Integer,
            Value::String(_) => Shape::Text,
            Value::Array(_) => Shape::List,
            Value::Object(_) => Shape::Object,
        }
    }

    fn text(&self) -> Result<Cow<'_, str>> {
        match &self.value {
            Value::String(string) => {
                string.decode().map_err(|e| Error::at(e.code(), self.start + 1 + e.offset().unwrap_or_default()))
            }
            _ => Err(Error::at(Code::TypeMismatch, self.start)),
        }
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        Err(Error::at(Code::TypeMismatch, self.start))
    }

    fn integer(&self) -> Result<Cow<'_, str>> {
        match &self.value {
            Value::Number(text) => Ok(Cow::Borrowed(text)),
            _ => Err(Error::at(Code::TypeMismatch, self.start)),
        }
    }

    fn get(&self, name: &'static str) -> Result<Option<Self>> {
        Ok(Tree::get(self, name))
    }

    fn size(&self) -> Result<usize> {
        Ok(Tree::entries(self).len())
    }

    fn entries(&self) -> Result<Vec<(Cow<'n, str>, Self)>> {
        let entries = Tree::entries(self).iter();
        entries.map(|(key, value)| key.text.decode().map(|name| (name, value))).collect()
    }

    fn elements(&self, max: usize) -> Result<Vec<Self>> {
        let elements = Tree::elements(self);
        if elements.len() > max {
            return Err(Error::at(Code::TooManyParts, self.start));
        }
        Ok(elements.iter().collect())
    }

    fn push_json(&self, out: &mut String, _max_depth: usize) -> Result<()> {
        push_tree(out, self) // the depth was bounded when the text was parsed
    }

    fn check_depth(&self, _max_depth: usize) -> Result<()> {
        Ok(())
    }

    fn offset(&self) -> Option<usize> {
        Some(self.start)
    }
}
