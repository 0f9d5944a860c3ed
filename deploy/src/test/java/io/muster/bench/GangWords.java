package io.muster.bench;

import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * What the Gangs of the rounds say while they wait, read once a second; keeps for each what it last
 * said of the members' own node affinity. Safe for concurrent use.
 */
final class GangWords implements AutoCloseable {

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration END_LIMIT = Duration.ofSeconds(10);

  private final Api api;
  private final Map<String, String> ofAffinity = new TreeMap<>();
  private volatile boolean isClosed;
  private final Thread reader;

  GangWords(Api api) {
    this.api = api;
    this.reader = Thread.ofPlatform().daemon().name("gang-words").start(this::readOn);
  }

  private void readOn() {
    while (!isClosed) {
      LockSupport.parkNanos(PAUSE.toNanos());
      try {
        read();
      } catch (SandboxException _) {
        // The API server is busy; what waits says so again.
      }
    }
  }

  private void read() {
    for (var gang : api.get(Manifests.GANGS).path("items")) {
      var status = gang.path("status");
      var message = status.path("message").asText();
      if (status.path("phase").asText().equals("Waiting") && message.contains("affinity")) {
        note(gang.path("metadata").path("name").asText(), message);
      }
    }
  }

  private synchronized void note(String gang, String message) {
    ofAffinity.put(gang, message);
  }

  /** By the name of the gang. */
  synchronized Map<String, String> ofAffinity() {
    return new TreeMap<>(ofAffinity);
  }

  @Override
  public void close() {
    isClosed = true;
    try {
      reader.interrupt();
      reader.join(END_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
