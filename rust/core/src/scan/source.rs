//! The bytes of a file, unpacked if they are packed. Magic bytes decide, never the name.

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Packing::None => "none",
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        }
    }
}

/// Files that hold no text of their own, by their first bytes.
const OTHERS: &[(&[u8], &str)] = &[
    (b"SQLite format 3\0", "sqlite"),
    (b"PK\x03\x04", "zip"),
    (b"version https://git-lfs", "git_lfs_pointer"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
];

const LONGEST_MAGIC: usize = 32;

/// An open file.
pub struct Source<'p> {
    /// How it is packed.
    pub packing: Packing,
    /// What it is instead, if its first bytes say that it is no text.
    pub other: Option<&'static str>,
    reader: Reader<'p>,
    read: &'p AtomicU64,
}

enum Reader<'p> {
    /// Read without anything between: the system writes into the buffer itself.
    Plain(File),
    Packed(Box<dyn Read + Send + 'p>),
}

impl<'p> Source<'p> {
    /// Opens a file; `read` counts the bytes taken from disk.
    pub fn open(path: &Path, read: &'p AtomicU64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut head = Vec::with_capacity(LONGEST_MAGIC);
        (&mut file).take(LONGEST_MAGIC as u64).read_to_end(&mut head)?;
        file.rewind()?;
        let other = OTHERS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, name)| *name);
        let packed = |file| BufReader::with_capacity(1 << 16, Counted { file, read });
        let (packing, reader) = match head.as_slice() {
            [0x1f, 0x8b, ..] => (Packing::Gzip, Reader::Packed(Box::new(MultiGzDecoder::new(packed(file))))),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                let frames = Frames { file: packed(file), decoder: FrameDecoder::new(), open: false };
                (Packing::Zstd, Reader::Packed(Box::new(frames)))
            }
            _ => (Packing::None, Reader::Plain(file)),
        };
        Ok(Source { packing, other, reader, read })
    }

    /// Appends bytes until the buffer is this long; tells whether the file goes on.
    pub fn fill(&mut self, buffer: &mut Vec<u8>, length: usize) -> io::Result<bool> {
        let missing = length.saturating_sub(buffer.len());
        buffer.reserve_exact(missing);
        let read = match &mut self.reader {
            Reader::Plain(file) => {
                let read = file.take(missing as u64).read_to_end(buffer)?;
                self.read.fetch_add(read as u64, Ordering::Relaxed);
                read
            }
            Reader::Packed(reader) => reader.take(missing as u64).read_to_end(buffer)?,
        };
        Ok(read == missing)
    }
}

struct Counted<'p> {
    file: File,
    read: &'p AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Zstandard frames one after another, as `cat a.zst b.zst` makes them.
struct Frames<R> {
    file: R,
    decoder: FrameDecoder,
    open: bool,
}

/// Unpacked in one go.
const ZSTD_STEP: usize = 1 << 17;

impl<R: BufRead> Frames<R> {
    /// Reads the head of the next frame; one that is to be skipped is skipped.
    fn begin(&mut self) -> io::Result<()> {
        use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
        match self.decoder.reset(&mut self.file) {
            Ok(()) => self.open = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                io::copy(&mut self.file.by_ref().take(u64::from(length)), &mut io::sink())?;
            }
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = if self.open { self.decoder.read(buffer)? } else { 0 };
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if !self.open {
                if self.file.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.begin()?;
                continue;
            }
            if self.decoder.is_finished() {
                self.open = false;
                continue;
            }
            let step = BlockDecodingStrategy::UptoBytes(ZSTD_STEP);
            self.decoder.decode_blocks(&mut self.file, step).map_err(io::Error::other)?;
        }
    }
}
