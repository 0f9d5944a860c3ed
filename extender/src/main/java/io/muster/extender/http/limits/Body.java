package io.muster.extender.http.limits;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The body of one request: first it arrives, then it is there until the request has been answered.
 * Confined to the thread that serves the request; other threads only cut it off.
 */
public final class Body implements AutoCloseable {

  private static final int FIRST_BLOCK = 16 * 1024;
  private static final int LARGEST_BLOCK = 256 * 1024;

  /** What more is read of a body that is too long. */
  private static final int MOST_SKIPPED = 1024 * 1024;

  private final Bodies bodies;
  private final Requester requester;
  private final Thread reader = Thread.currentThread();

  /** Guarded by {@link #bodies}: emptied by whoever cuts this off, so that the memory is free. */
  private final List<byte[]> blocks = new ArrayList<>();

  private long reserved;
  private boolean isOver;
  private Optional<NotServedException> cut = Optional.empty();

  /** Ends with the request. */
  private final CompletableFuture<Void> served = new CompletableFuture<>();

  private Optional<FairTurns.Turn> largeTurn = Optional.empty();

  private byte[] bytes = {};

  Body(Bodies bodies, Requester requester) {
    this.bodies = bodies;
    this.requester = requester;
  }

  /** All of it. */
  public byte[] bytes() {
    return bytes;
  }

  public Requester requester() {
    return requester;
  }

  /** The memory may go to others. */
  @Override
  public void close() {
    bodies.end(this);
    largeTurn.ifPresent(FairTurns.Turn::close);
    largeTurn = Optional.empty();
    served.complete(null);
  }

  CompletableFuture<Void> served() {
    return served;
  }

  /**
   * Reads all of it.
   *
   * @param stated the length that the caller states, negative if it states none
   */
  void read(InputStream in, int stated, Bodies.Limits limits)
      throws IOException, NotServedException {
    int most = limits.bytes();
    int length = 0;
    int next = Math.min(stated >= 0 ? stated : most + 1, FIRST_BLOCK);
    try {
      if (stated > most) {
        skip(in, most);
        throw NotServedException.tooLong(most);
      }
      while (next > 0) {
        if (length + next > limits.smallBytes() && largeTurn.isEmpty()) {
          largeTurn = Optional.of(bodies.awaitLarge(this, stated >= 0 ? stated : most));
        }
        var block = bodies.reserve(this, next);
        int read = in.readNBytes(block, 0, next);
        length += read;
        if (length > most) {
          skip(in, 0);
          throw NotServedException.tooLong(most);
        }
        if (read < next) {
          break;
        }
        int left = stated >= 0 ? stated - length : most + 1 - length;
        next = Math.min(left, Math.min(LARGEST_BLOCK, length));
      }
    } catch (IOException e) {
      bodies.throwIfCut(this);
      throw e;
    }
    bytes = bodies.whole(this, length);
  }

  /** Who is still writing over HTTP/1.1 would meet a broken connection in place of the answer. */
  private static void skip(InputStream in, int bytes) throws IOException {
    var skipped = new byte[FIRST_BLOCK];
    int left = bytes + MOST_SKIPPED;
    int read = 0;
    while (left > 0 && read >= 0) {
      read = in.read(skipped, 0, Math.min(left, skipped.length));
      left -= read;
    }
  }

  // What follows is called by Bodies alone, which is locked meanwhile.

  byte[] add(int length) {
    var block = new byte[length];
    blocks.add(block);
    reserved += length;
    return block;
  }

  long reserved() {
    return reserved;
  }

  boolean isOver() {
    return isOver;
  }

  Optional<NotServedException> cut() {
    return cut;
  }

  /** Its thread, which may wait for bytes or for its turn, goes on and sees why. */
  void cutOff(NotServedException why) {
    cut = Optional.of(why);
    blocks.clear();
    reserved = 0;
    reader.interrupt();
  }

  byte[] joined(int length) {
    if (blocks.size() == 1 && blocks.getFirst().length == length) {
      return blocks.getFirst();
    }
    var all = new byte[length];
    int at = 0;
    for (var block : blocks) {
      int part = Math.min(block.length, length - at);
      System.arraycopy(block, 0, all, at, part);
      at += part;
    }
    blocks.clear();
    blocks.add(all);
    return all;
  }

  void over() {
    isOver = true;
    blocks.clear();
    reserved = 0;
    if (cut.isPresent() && Thread.currentThread().equals(reader)) {
      // It was meant for this request.
      Thread.interrupted();
    }
  }
}
