package io.muster.admission;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.muster.faults.Shown;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * What somebody without any credential does to a port, from many connections at once, again and
 * again until its process is ended; it prints each second how often one of them has begun.
 */
final class PortAttack {

  /** The ways to do it. */
  enum Kind {
    /** Bodies of 4 MiB that lack their last byte. */
    UNFINISHED,
    /** A byte of a body each second. */
    SLOW,
    /** No TLS at all. */
    GARBAGE,
    /** Many requests on one connection, whose bodies never end and which are reset together. */
    STREAMS
  }

  private static final int BODY = 4 * 1024 * 1024;
  private static final byte[] SPACES = " ".repeat(BODY - 1).getBytes(US_ASCII);

  private final URI target;
  private final ExecutorService attackers = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicLong acts = new AtomicLong();
  private final Random random = new Random(7);

  private PortAttack(URI target) {
    this.target = target;
  }

  /** Arguments: the way, the number of connections, and the URL. */
  public static void main(String[] arguments) {
    var attack = new PortAttack(URI.create(arguments[2]));
    attack.begin(Kind.valueOf(arguments[0]), Integer.parseInt(arguments[1]));
    while (true) {
      System.out.println(attack.acts.get());
      pause(Duration.ofSeconds(1));
    }
  }

  private void begin(Kind kind, int connections) {
    switch (kind) {
      case UNFINISHED -> each(connections, this::unfinished);
      case SLOW -> each(connections, this::slow);
      case GARBAGE -> each(connections, this::garbage);
      case STREAMS -> each(1, () -> streams(connections));
    }
  }

  private interface Act {
    void once() throws Exception;
  }

  private void each(int attackersAtOnce, Act act) {
    for (int i = 0; i < attackersAtOnce; i++) {
      var _ = attackers.submit(() -> repeat(act));
    }
  }

  private void repeat(Act act) {
    while (true) {
      acts.incrementAndGet();
      try {
        act.once();
      } catch (Exception _) {
        // It was turned away, and comes again.
        pause(Duration.ofMillis(50));
      }
    }
  }

  private void unfinished() throws IOException {
    try (var socket = tls()) {
      socket.getOutputStream().write(head());
      socket.getOutputStream().write(SPACES);
      socket.getInputStream().readAllBytes();
    }
  }

  private void slow() throws IOException {
    try (var socket = tls()) {
      socket.getOutputStream().write(head());
      while (true) {
        socket.getOutputStream().write(' ');
        pause(Duration.ofSeconds(1));
      }
    }
  }

  private void garbage() throws IOException {
    try (var socket = new Socket(target.getHost(), target.getPort())) {
      var bytes = new byte[200];
      random.nextBytes(bytes);
      socket.getOutputStream().write(bytes);
      socket.getInputStream().readAllBytes();
    }
    pause(Duration.ofMillis(5));
  }

  private void streams(int requests) throws Exception {
    try (var client = HttpClient.newBuilder().sslContext(Shown.trustingAnybody()).build()) {
      var sent =
          IntStream.range(0, requests)
              .mapToObj(_ ->
                  client.sendAsync(
                      HttpRequest.newBuilder(target.resolve("/mutate/pods"))
                          .POST(
                              BodyPublishers.fromPublisher(
                                  subscriber -> subscriber.onSubscribe(new Never(subscriber))))
                          .build(),
                      BodyHandlers.discarding()))
              .toList();
      var all = CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new));
      try {
        all.get(2, TimeUnit.SECONDS);
      } finally {
        sent.forEach(one -> one.cancel(true));
        client.shutdownNow();
      }
    }
  }

  /** Sends one byte and then nothing any more. */
  private static final class Never implements Flow.Subscription {

    private final Flow.Subscriber<? super ByteBuffer> subscriber;
    private boolean hasSent;

    Never(Flow.Subscriber<? super ByteBuffer> subscriber) {
      this.subscriber = subscriber;
    }

    @Override
    public void request(long n) {
      if (!hasSent) {
        hasSent = true;
        subscriber.onNext(ByteBuffer.wrap(new byte[] {'{'}));
      }
    }

    @Override
    public void cancel() {}
  }

  private static byte[] head() {
    return ("POST /mutate/pods HTTP/1.1\r\nHost: muster\r\nContent-Length: " + BODY + "\r\n\r\n")
        .getBytes(US_ASCII);
  }

  private Socket tls() throws IOException {
    var socket =
        Shown.trustingAnybody().getSocketFactory().createSocket(target.getHost(), target.getPort());
    socket.setSoTimeout(30_000);
    return socket;
  }

  private static void pause(Duration time) {
    LockSupport.parkNanos(time.toNanos());
  }
}
