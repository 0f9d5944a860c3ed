package io.muster.image;

/** An image cannot be made or unpacked; the message is a sentence that says what to do. */
public final class ImageException extends RuntimeException {

  ImageException(String sentence) {
    super(sentence);
  }

  ImageException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
