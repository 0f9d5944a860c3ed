package io.muster.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One watch of the pods of a namespace that have a node; notes when each was first seen so, by
 * {@link System#nanoTime}, and when it went. A young API server ends watches that fall behind by
 * more than a few events; then the watch goes on where it was. Safe for concurrent use.
 */
final class PodWatch implements AutoCloseable {

  private static final JsonFactory JSON = new JsonFactory();

  private final Api api;
  private final String path;
  private final Map<String, Long> bound = new HashMap<>();
  private final Map<String, Long> gone = new HashMap<>();
  private final Map<String, Integer> boundOfGang = new HashMap<>();
  private final List<Consumer<String>> listeners = new ArrayList<>();
  private volatile Stream<String> lines;
  private volatile boolean isClosed;
  private String version = "";

  /** Begins to watch; returns when the watch stands. */
  PodWatch(Api api, String namespace) {
    this.api = api;
    this.path =
        "/api/v1/namespaces/"
            + namespace
            + "/pods?watch=1&timeoutSeconds=3600&fieldSelector=spec.nodeName%21%3D";
    this.lines = api.watch(path);
    Thread.ofPlatform().daemon().name("pod-watch").start(this::read);
  }

  /** Calls with the name of each pod seen bound, on the thread of the watch. */
  synchronized void onBound(Consumer<String> listener) {
    listeners.add(listener);
  }

  synchronized int boundCount() {
    return bound.size();
  }

  synchronized int goneCount() {
    return gone.size();
  }

  /** When each pod was first seen with a node. */
  synchronized Map<String, Long> bound() {
    return Map.copyOf(bound);
  }

  /** When each pod that had a node was seen to be gone. */
  synchronized Map<String, Long> gone() {
    return Map.copyOf(gone);
  }

  /** Members of a gang seen bound so far. */
  synchronized int boundOf(String gang) {
    return boundOfGang.getOrDefault(gang, 0);
  }

  /** Whether so many pods were seen bound within the limit. */
  boolean sawBound(int pods, Duration limit) {
    return Await.within(limit, () -> boundCount() >= pods);
  }

  private void read() {
    while (!isClosed) {
      try (var current = lines) {
        current.forEach(this::take);
      } catch (UncheckedIOException e) {
        if (isClosed) {
          return;
        }
      }
      if (!isClosed) {
        lines = api.watch(path + (version.isEmpty() ? "" : "&resourceVersion=" + version));
      }
    }
  }

  private void take(String line) {
    long now = System.nanoTime();
    try (var parser = JSON.createParser(line)) {
      String type = "";
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        var field = parser.currentName();
        parser.nextToken();
        if (field.equals("type")) {
          type = parser.getText();
        } else if (field.equals("object")) {
          takeObject(type, parser, now);
          return;
        }
      }
    } catch (IOException e) {
      throw new SandboxException("The watch sent what is no JSON: " + line, e);
    }
  }

  /** Reads no further than the metadata, which the API server writes first. */
  private void takeObject(String type, JsonParser parser, long now) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      var field = parser.currentName();
      parser.nextToken();
      if (!field.equals("metadata")) {
        parser.skipChildren();
        continue;
      }
      String name = "";
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        var key = parser.currentName();
        parser.nextToken();
        if (key.equals("name")) {
          name = parser.getText();
        } else if (key.equals("resourceVersion")) {
          version = parser.getText();
        } else {
          parser.skipChildren();
        }
      }
      note(type, name, now);
      return;
    }
  }

  private synchronized void note(String type, String name, long now) {
    if (type.equals("ERROR")) {
      // The version is too old: begins anew with what is there.
      version = "";
    } else if (type.equals("DELETED")) {
      gone.putIfAbsent(name, now);
    } else if (bound.putIfAbsent(name, now) == null) {
      boundOfGang.merge(Gang.of(name), 1, Integer::sum);
      listeners.forEach(listener -> listener.accept(name));
    }
  }

  @Override
  public void close() {
    isClosed = true;
    lines.close();
  }
}
