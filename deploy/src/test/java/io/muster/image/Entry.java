package io.muster.image;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** What stands at one path of a layer; root owns all of it. Immutable. */
sealed interface Entry {

  /**
   * A folder.
   *
   * @param mode permission bits
   */
  record Folder(int mode) implements Entry {}

  /**
   * A file.
   *
   * @param mode permission bits
   */
  record Content(int mode, Source source) implements Entry {}

  /**
   * A symbolic link.
   *
   * @param target as it is written into the link, absolute or from the link's folder
   */
  record Link(String target) implements Entry {}

  /** Where the bytes of a file come from; may be opened more than once. */
  interface Source {

    /** In bytes. */
    long size() throws IOException;

    InputStream open() throws IOException;

    static Source of(byte[] bytes) {
      return new Source() {
        @Override
        public long size() {
          return bytes.length;
        }

        @Override
        public InputStream open() {
          return new ByteArrayInputStream(bytes);
        }
      };
    }

    static Source of(Path file) {
      return new Source() {
        @Override
        public long size() throws IOException {
          return Files.size(file);
        }

        @Override
        public InputStream open() throws IOException {
          return Files.newInputStream(file);
        }
      };
    }
  }
}
