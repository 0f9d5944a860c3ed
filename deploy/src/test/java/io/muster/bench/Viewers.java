package io.muster.bench;

import io.muster.deploy.board.BoardService;
import io.muster.sandbox.Await;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The board as the chart runs it, and people who have it open: half of them may list everything,
 * the rest what is in one namespace. The accounts of each half are in a namespace of their own, as
 * those of one namespace share its windows. Safe for concurrent use.
 */
final class Viewers implements AutoCloseable {

  private static final int COUNT = 20;

  /**
   * What the chart's requests come to where processors are short: 100m of the board beside 500m of
   * Muster. The kernel gives a process 1.25 times less for each step.
   */
  private static final List<String> A_FIFTH = List.of("nice", "-n", "7");

  private static final Duration SOON = Duration.ofSeconds(60);

  private final BoardService board;
  private final List<HttpClient> clients = new ArrayList<>();
  private final AtomicInteger looking = new AtomicInteger();
  private final AtomicLong characters = new AtomicLong();

  private Viewers(BoardService board) {
    this.board = board;
  }

  /** Returns when all of them see the cluster. */
  static Viewers lookingAt(Sandbox sandbox, Api api) {
    var options = sandbox.layout().deploy().resolve("jvm.options");
    var viewers =
        new Viewers(
            BoardService.start(
                sandbox,
                A_FIFTH,
                List.of("@" + options, "-XX:TieredStopAtLevel=1", "-Xmx512m"),
                List.of()));
    try {
      for (int i = 0; i < COUNT; i++) {
        viewers.open("127.0.1." + (i + 1), token(api, "viewer-" + i, i % 2 == 0));
      }
      Await.until("the viewers to see the board", SOON, () -> viewers.looking.get() == COUNT);
      return viewers;
    } catch (RuntimeException e) {
      viewers.close();
      throw e;
    }
  }

  /** Of an account, which is made if it is not there. */
  private static String token(Api api, String name, boolean seesAll) {
    var home = seesAll ? "viewers-of-all" : "viewers-of-one";
    var accounts = "/api/v1/namespaces/" + home + "/serviceaccounts";
    var bindings =
        seesAll ? "clusterrolebindings" : "namespaces/" + Manifests.NAMESPACE + "/rolebindings";
    make(api, "/api/v1/namespaces", Manifests.namespace(home));
    make(api, accounts, "{\"metadata\":{\"name\":\"%s\"}}".formatted(name));
    make(
        api,
        "/apis/rbac.authorization.k8s.io/v1/" + bindings,
        """
        {"metadata": {"name": "%s"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                     "name": "cluster-admin"},
         "subjects": [{"kind": "ServiceAccount", "name": "%s", "namespace": "%s"}]}
        """
            .formatted(name, name, home));
    return api.post(
            accounts + "/" + name + "/token", "{\"spec\":{\"audiences\":[\"muster-board\"]}}")
        .orFail("a token")
        .json()
        .at("/status/token")
        .asText();
  }

  private static void make(Api api, String collection, String object) {
    var reply = api.post(collection, object);
    if (reply.status() != 409) {
      reply.orFail("what a viewer needs");
    }
  }

  private void open(String from, String token) {
    var cookie = board.cookie(from, token);
    var client = BoardService.client(from);
    clients.add(client);
    Thread.startVirtualThread(() -> look(client, cookie));
  }

  private void look(HttpClient client, String cookie) {
    URI stream = board.address().resolve("/api/v1/stream");
    var request = HttpRequest.newBuilder(stream).header("Cookie", cookie).build();
    try (Stream<String> lines = client.send(request, BodyHandlers.ofLines()).body()) {
      var hasBegun = new boolean[1];
      lines.forEach(line -> {
        if (!hasBegun[0] && line.startsWith("data:")) {
          hasBegun[0] = true;
          looking.incrementAndGet();
        }
        characters.addAndGet(line.length());
      });
    } catch (IOException | RuntimeException _) {
      // Counted below: the board went, or this one was sent away.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    looking.decrementAndGet();
  }

  /**
   * In words what they have been sent, and the board's memory.
   *
   * @throws SandboxException if one of them was sent away
   */
  String words() {
    if (looking.get() != COUNT) {
      throw new SandboxException(
          "%d of %d viewers still see the board.%n%s".formatted(looking.get(), COUNT, board.log()));
    }
    return "%d viewers have been sent %.1f MB; the board has %.0f MB resident, %.0f at most"
        .formatted(
            COUNT,
            characters.get() / 1e6,
            CpuTimes.residentMegabytes(board.pid()),
            CpuTimes.highestResidentMegabytes(board.pid()));
  }

  @Override
  public void close() {
    clients.forEach(HttpClient::shutdownNow);
    board.close();
  }
}
