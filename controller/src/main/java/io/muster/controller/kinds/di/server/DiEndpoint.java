package io.muster.controller.kinds.di.server;

import static io.javalin.http.HandlerType.DELETE;
import static io.javalin.http.HandlerType.GET;
import static io.javalin.http.HandlerType.HEAD;
import static io.javalin.http.HandlerType.OPTIONS;
import static io.javalin.http.HandlerType.PATCH;
import static io.javalin.http.HandlerType.POST;
import static io.javalin.http.HandlerType.PUT;
import static io.javalin.http.HandlerType.TRACE;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.muster.certs.tls.ConnectionLimit;
import io.muster.controller.kinds.di.server.call.Call;
import io.muster.controller.kinds.di.server.call.DiReply;
import io.muster.controller.kinds.di.server.call.RefusedException;
import io.muster.controller.port.DiMeter;
import io.muster.extender.http.limits.Bodies;
import io.muster.extender.http.limits.NotServedException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;

/**
 * The port of both APIs: plain HTTP/1.1, since their clients know no other. A held call keeps no
 * thread. Safe for concurrent use.
 */
final class DiEndpoint {

  /** Largest body read, in bytes. */
  static final int MAX_BODY_BYTES = 64 * 1024;

  /** Memory of all bodies that are arriving, in bytes. */
  private static final long BODY_BYTES_TOGETHER = 8L * 1024 * 1024;

  /** Connections at once; a coordinator keeps one. */
  private static final int MAX_CONNECTIONS = 4096;

  /**
   * How long clients may take.
   *
   * @param idle of a connection on which nothing goes to and fro; not of calls that are held
   * @param body until it has arrived
   */
  record Limits(Duration idle, Duration body) {

    static final Limits DEFAULT = new Limits(Duration.ofSeconds(30), Duration.ofSeconds(20));
  }

  private static final int NOT_FOUND = 404;
  private static final String JSON = "application/json";
  private static final String ANY = "/<path>";
  private static final String BEARER = "Bearer ";

  private final DiApi api;
  private final HangUps hangUps;
  private final DiMeter meter;
  private final Limits limits;
  private final Bodies bodies;
  private final String process;

  /**
   * @param process the name under which it answers those who ask whether it is there
   */
  DiEndpoint(DiApi api, HangUps hangUps, DiMeter meter, Limits limits, String process) {
    this.process = process;
    this.api = api;
    this.hangUps = hangUps;
    this.meter = meter;
    this.limits = limits;
    this.bodies =
        new Bodies(
            new Bodies.Limits(
                MAX_BODY_BYTES,
                MAX_BODY_BYTES,
                1,
                BODY_BYTES_TOGETHER,
                MAX_CONNECTIONS,
                limits.body(),
                limits.idle()));
  }

  /** Adds the port and all routes. */
  void addTo(JavalinConfig java, String address, int port) {
    java.concurrency.useVirtualThreads = true;
    java.http.maxRequestSize = MAX_BODY_BYTES;
    java.jetty.addConnector((server, configuration) -> {
      var http = new HttpConfiguration(configuration);
      http.setSendServerVersion(false);
      // An id may be namespace/name, with its slash encoded.
      http.setUriCompliance(UriCompliance.UNSAFE);
      var connector = new ServerConnector(server, new HttpConnectionFactory(http));
      connector.setHost(address);
      connector.setPort(port);
      // All of them may come at once.
      connector.setAcceptQueueSize(MAX_CONNECTIONS);
      connector.setIdleTimeout(limits.idle().toMillis());
      connector.addBean(new ConnectionLimit(MAX_CONNECTIONS));
      return connector;
    });
    java.jetty.modifyServletContextHandler(
        handler -> handler.getServletHandler().setDecodeAmbiguousURIs(true));
    java.routes.get(
        Greeting.PATH, context -> context.header(Greeting.NAME, process).result("ok\n"));
    // Javalin knows no other methods; those are led here by what it says of them.
    java.routes.error(
        NOT_FOUND,
        context -> {
          if (!isAnswered(context)) {
            send(
                context,
                DiReply.refused(
                    RefusedException.notImplemented(
                        context.req().getMethod() + " is not implemented")),
                System.nanoTime());
          }
        });
    for (var method : List.of(GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, TRACE)) {
      java.routes.addHttpHandler(method, ANY, this::answer);
      java.routes.addHttpHandler(method, "/", this::answer);
    }
  }

  private void answer(Context context) {
    long begun = System.nanoTime();
    try (var body = bodies.receive(context)) {
      answer(context, body.bytes(), begun);
    } catch (NotServedException e) {
      send(context, DiReply.refused(RefusedException.notServed(e)), begun);
    }
  }

  private void answer(Context context, byte[] body, long begun) {
    var path = context.req().getRequestURI();
    var gone = new AtomicReference<Optional<CompletableFuture<Void>>>(Optional.empty());
    var call =
        new Call(
            context.method().name(),
            path,
            Optional.ofNullable(context.req().getQueryString()).orElse(""),
            body,
            context.req().getRemoteAddr(),
            Optional.ofNullable(context.header("Authorization"))
                .filter(header -> header.startsWith(BEARER))
                .map(header -> header.substring(BEARER.length()).strip()),
            () -> {
              var watched = watch(context);
              gone.set(Optional.of(watched));
              return watched;
            });
    context.future(() ->
        api.answer(call)
            .thenAccept(reply -> {
              gone.get().ifPresent(watched -> watched.complete(null));
              send(context, reply, begun);
            }));
  }

  private CompletableFuture<Void> watch(Context context) {
    var transport =
        ServletContextRequest.getServletContextRequest(context.req())
            .getConnectionMetaData()
            .getConnection()
            .getEndPoint()
            .getTransport();
    return transport instanceof SocketChannel channel
        ? hangUps.watch(channel)
        : new CompletableFuture<>();
  }

  private static boolean isAnswered(Context context) {
    return JSON.equals(context.res().getContentType());
  }

  private void send(Context context, DiReply reply, long begun) {
    context.status(reply.status()).contentType(JSON).result(reply.body());
    meter.answered(
        DiApi.route(context.req().getRequestURI()),
        outcome(reply),
        Duration.ofNanos(System.nanoTime() - begun));
  }

  private static DiMeter.Outcome outcome(DiReply reply) {
    if (reply.isSuccess()) {
      return DiMeter.Outcome.DONE;
    } else if (reply.status() == 200) {
      return DiMeter.Outcome.LATER;
    }
    return reply.status() == 500 ? DiMeter.Outcome.FAULT : DiMeter.Outcome.REFUSED;
  }
}
