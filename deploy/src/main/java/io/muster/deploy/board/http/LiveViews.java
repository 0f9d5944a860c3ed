package io.muster.deploy.board.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.ViewLog;
import io.muster.deploy.board.http.Entrance.Admission;
import io.muster.deploy.board.http.Entrance.Viewer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Sends views, once or as they change, to each viewer what they may see at that moment. What is
 * written at once is bounded, in all and for each account. Safe for concurrent use.
 */
final class LiveViews implements AutoCloseable {

  private static final Duration BEAT = Duration.ofSeconds(15);

  /** Rights and sessions are looked at so often while nothing happens. */
  private static final Duration STEP = Duration.ofSeconds(2);

  private static final Duration FIRST_VIEW = Duration.ofSeconds(60);
  private static final Duration LONGEST_WRITE = Duration.ofSeconds(30);
  private static final String EVENTS = "text/event-stream; charset=utf-8";
  private static final Duration AFTER_FULL = Duration.ofSeconds(30);
  private static final int MOST_OPEN = 100;
  private static final int MOST_OF_ACCOUNT = 10;
  private static final String FULL =
      "too many windows are open: %d in all or %d of yours; close some"
          .formatted(MOST_OPEN, MOST_OF_ACCOUNT);

  private final BoardFeed feed;
  private final InstantSource clock;
  private final JsonMapper mapper = JsonMapper.builder().build();
  private final StreamSlots slots = new StreamSlots(MOST_OPEN, MOST_OF_ACCOUNT);
  private final SlowReaders slow = new SlowReaders(LONGEST_WRITE);

  LiveViews(BoardFeed feed, InstantSource clock) {
    this.feed = feed;
    this.clock = clock;
  }

  private interface Sending {
    void run() throws IOException, InterruptedException;
  }

  /** If there is a slot for the viewer; else it is said that there is none. */
  private void inSlot(Context context, Viewer viewer, Sending sending, Runnable otherwise)
      throws InterruptedException {
    if (!slots.tryAcquire(viewer.account())) {
      otherwise.run();
      return;
    }
    ShortAnswers.spare(context);
    try {
      sending.run();
    } catch (IOException _) {
      // Whoever looked has gone, or reads too slowly.
    } finally {
      slots.release(viewer.account());
    }
  }

  /** The whole view, once. */
  void view(Context context, Viewer viewer) throws InterruptedException {
    inSlot(
        context,
        viewer,
        () -> sendView(context, viewer),
        () ->
            new Admission.Refused(
                    HttpStatus.SERVICE_UNAVAILABLE, FULL, false, Optional.of(AFTER_FULL))
                .send(context));
  }

  private void sendView(Context context, Viewer viewer) throws IOException, InterruptedException {
    var access = viewer.access();
    var news = feed.log(access).after(0, FIRST_VIEW);
    if (!access.equals(viewer.access())) {
      // What they may see has changed while they waited.
      sendView(context, viewer);
      return;
    }
    switch (news) {
      case ViewLog.News.Whole(var _, var json) -> {
        context.contentType("application/json");
        write(context.res().getOutputStream(), json);
      }
      case ViewLog.News.None(var _, var why) ->
          new Admission.Refused(
                  HttpStatus.SERVICE_UNAVAILABLE, why.orElse("the cluster has not been read yet"))
              .send(context);
      case ViewLog.News.Changes _ -> throw new IllegalStateException("it knows nothing");
    }
  }

  /** The view and its changes, until the viewer goes or is no longer let in. */
  void stream(Context context, Viewer viewer) throws InterruptedException {
    inSlot(
        context,
        viewer,
        () -> {
          context.contentType(EVENTS);
          follow(
              context.res().getOutputStream(),
              viewer,
              Optional.ofNullable(context.header("Last-Event-ID")));
        },
        // Of a stream with another status a browser tells its page nothing.
        () ->
            context
                .contentType(EVENTS)
                .result("event: refused\ndata: %s\n\n".formatted(text(Map.of("message", FULL)))));
  }

  /** What a browser knows that was connected before; 0 of another log. */
  private static long known(ViewLog log, Optional<String> lastEvent) {
    return lastEvent
        .filter(id -> id.startsWith(log.run() + "."))
        .map(id -> id.substring(log.run().length() + 1))
        .filter(number -> number.matches("\\d{1,18}"))
        .map(Long::parseLong)
        .orElse(0L);
  }

  /** Until the viewer goes or is no longer let in; what they may see may change meanwhile. */
  private void follow(OutputStream out, Viewer viewer, Optional<String> lastEvent)
      throws IOException, InterruptedException {
    beat(out, Optional.empty(), Optional.empty());
    var access = viewer.access();
    var log = feed.log(access);
    long known = known(log, lastEvent);
    long beatDue = System.nanoTime() + BEAT.toNanos();
    while (!feed.isClosed()) {
      var news = log.after(known, STEP);
      var allowed = viewer.access();
      if (!viewer.isIn()) {
        return;
      }
      var current = feed.log(allowed);
      if (current != log) {
        log = current;
        known = 0;
        continue;
      }
      switch (news) {
        case ViewLog.News.Whole(var number, var json) -> {
          write(out, "whole", log.run(), number, json);
          known = number;
        }
        case ViewLog.News.Changes(var changes) -> {
          for (var change : changes) {
            write(out, "change", log.run(), change.number(), change.json());
            known = change.number();
          }
        }
        case ViewLog.News.None(var asOf, var why) -> {
          if (System.nanoTime() - beatDue >= 0) {
            beat(out, asOf, why);
            beatDue = System.nanoTime() + BEAT.toNanos();
          }
        }
      }
    }
  }

  /** The time, what time the view is of, and why there is none. */
  private void beat(OutputStream out, Optional<String> asOf, Optional<String> why)
      throws IOException {
    var beat = new TreeMap<String, String>();
    beat.put("now", clock.instant().toString());
    asOf.ifPresent(time -> beat.put("asOf", time));
    why.ifPresent(sentence -> beat.put("why", sentence));
    write(out, "event: beat\ndata: %s\n\n".formatted(text(beat)));
  }

  private String text(Map<String, String> beat) {
    try {
      return mapper.writeValueAsString(beat);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private void write(OutputStream out, String event, String run, long number, String json)
      throws IOException {
    write(out, "event: %s\nid: %s.%d\ndata: ".formatted(event, run, number), json, "\n\n");
  }

  /** Without a copy of it for each who reads slowly. */
  private void write(OutputStream out, String... texts) throws IOException {
    slow.write(() -> {
      var writer = new OutputStreamWriter(out, StandardCharsets.UTF_8);
      for (var text : texts) {
        writer.write(text);
      }
      writer.flush();
    });
  }

  @Override
  public void close() {
    slow.close();
  }
}
