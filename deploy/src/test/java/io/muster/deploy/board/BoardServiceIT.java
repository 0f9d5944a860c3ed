package io.muster.deploy.board;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.deploy.board.http.Browser;
import io.muster.deploy.board.http.SignedIn;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;

/** The board in the cluster, beside a real API server that knows who may see what. */
@ExtendWith(SandboxExtension.class)
@Order(1)
final class BoardServiceIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int REQUESTS = 500;
  private static final String PODS_AND_GANGS = "--resource=pods,gangs.muster.io";

  /** A right is remembered for a minute, and what waits for it is told within one more. */
  private static final Duration FORGOTTEN = Duration.ofSeconds(90);

  /**
   * An account with a token of its own.
   *
   * @param namespaces in which it may list gangs and pods
   */
  private record Account(String name, Set<String> namespaces, boolean all, boolean nodes) {}

  /** What is in one namespace, and in no other. */
  private record Team(TestSpace space, GangManifest runs, GangManifest waits) {

    static Team in(TestSpace space) {
      var name = space.namespace().substring(space.namespace().length() - 5);
      var runs = GangManifest.of(space, "runs-" + name, 1);
      var waits = GangManifest.of(space, "waits-" + name, 9);
      runs.create();
      waits.create();
      Await.until("the small one to run", SOON, () -> runs.running() == 1);
      return new Team(space, runs, waits);
    }

    Set<String> nodes() {
      return runs.stored().stream()
          .map(pod -> pod.getSpec().getNodeName())
          .collect(Collectors.toSet());
    }

    Set<String> names() {
      var names = new TreeSet<>(List.of(space.namespace(), runs.name(), waits.name()));
      runs.stored().forEach(pod -> names.add(pod.getMetadata().getName()));
      return names;
    }
  }

  /** Row B5. */
  @Test
  void nobodySeesANameThatTheyMayNotList(Sandbox sandbox, TestSpace space) {
    var nodes = new ArrayList<>(space.nodes(2, NodeShape.GPU1));
    try (var other = TestSpace.open(sandbox, "other");
        var service = BoardService.start(sandbox)) {
      nodes.addAll(other.nodes(2, NodeShape.GPU1));
      var own = Team.in(space);
      var theirs = Team.in(other);
      var accounts = accounts(sandbox, own, theirs);
      assertThat(accounts).hasSize(12);
      int seen = 0;
      for (int i = 0; i < accounts.size(); i++) {
        var account = accounts.get(i);
        agreesWithTheApiServer(sandbox, space, other, account);
        var forbidden = new HashSet<String>();
        for (var team : List.of(own, theirs)) {
          if (!account.all() && !account.namespaces().contains(team.space().namespace())) {
            forbidden.addAll(team.names());
          }
        }
        if (!account.nodes()) {
          forbidden.addAll(nodes);
        }
        var cookie = service.cookie("127.0.1." + (1 + i), token(sandbox, space, account));
        seen += looks(service, account, cookie, List.of(own, theirs), nodes, forbidden);
      }
      assertThat(seen).as("answers that told of a gang").isGreaterThan(REQUESTS);
      assertThat(service.log()).doesNotContain("ERROR").doesNotContain("eyJ");
    }
  }

  /** So many requests of all kinds; how many of them told of a gang. */
  private static int looks(
      BoardService service,
      Account account,
      String cookie,
      List<Team> teams,
      List<String> nodes,
      Set<String> forbidden) {
    var random = new Random(7);
    int pages = 0;
    for (int i = 0; i < REQUESTS; i++) {
      var team = teams.get(random.nextInt(teams.size()));
      var gang = random.nextBoolean() ? team.runs() : team.waits();
      var path =
          random.nextInt(4) == 0
              ? "/api/v1/view"
              : "/api/v1/gangs/%s/%s".formatted(team.space().namespace(), gang.name());
      var answer = service.get(path, "Cookie", cookie);
      boolean isAllowed = account.all() || account.namespaces().contains(team.space().namespace());
      boolean isView = path.endsWith("view");
      if (isView) {
        assertThat(answer.statusCode()).isEqualTo(200);
      } else {
        assertThat(answer.statusCode())
            .as(account.name() + " " + path)
            .isEqualTo(isAllowed ? 200 : 404);
        pages += isAllowed ? 1 : 0;
      }
      var body = answer.body();
      if (answer.statusCode() == 404) {
        // It says no more than what was asked for.
        body = body.replace(gang.name(), "").replace(team.space().namespace(), "");
      }
      // Names of nodes have those of namespaces in them; where a pod runs is part of the pod.
      for (var node :
          account.nodes() ? nodes : isAllowed && !isView ? team.nodes() : List.<String>of()) {
        body = body.replace(node, "");
      }
      for (var name : forbidden) {
        assertThat(body).as(account.name() + " " + path).doesNotContain(name);
      }
    }
    return pages;
  }

  private static List<Account> accounts(Sandbox sandbox, Team own, Team theirs) {
    var a = own.space().namespace();
    var b = theirs.space().namespace();
    var accounts = new ArrayList<Account>();
    accounts.add(account(sandbox, a, "nothing", Set.of()));
    accounts.add(account(sandbox, a, "in-a", Set.of(a)));
    accounts.add(account(sandbox, a, "in-b", Set.of(b)));
    accounts.add(account(sandbox, a, "in-both", Set.of(a, b)));
    var gangs = account(sandbox, a, "gangs-alone", Set.of());
    allow(sandbox, a, a, gangs.name(), "--resource=gangs.muster.io");
    accounts.add(gangs);
    var pods = account(sandbox, a, "pods-alone", Set.of());
    allow(sandbox, b, a, pods.name(), "--resource=pods");
    accounts.add(pods);
    accounts.add(new Account(make(sandbox, a, "everywhere"), Set.of(), true, false));
    allowEverywhere(sandbox, a, "everywhere", PODS_AND_GANGS);
    accounts.add(new Account(make(sandbox, a, "nodes-alone"), Set.of(), false, true));
    allowEverywhere(sandbox, a, "nodes-alone", "--resource=nodes");
    var both = account(sandbox, a, "nodes-and-a", Set.of(a));
    allowEverywhere(sandbox, a, both.name(), "--resource=nodes");
    accounts.add(new Account(both.name(), Set.of(a), false, true));
    accounts.add(new Account(make(sandbox, a, "all"), Set.of(), true, true));
    allowEverywhere(sandbox, a, "all", "--resource=pods,nodes,gangs.muster.io");
    accounts.add(new Account(make(sandbox, a, "admin"), Set.of(), true, true));
    sandbox.kubectl(
        "create",
        "clusterrolebinding",
        "admin-" + a,
        "--clusterrole=cluster-admin",
        "--serviceaccount=" + a + ":admin");
    var named = account(sandbox, a, "one-gang", Set.of());
    sandbox.kubectl(
        "-n",
        a,
        "create",
        "role",
        "one-gang",
        "--verb=get",
        "--resource=gangs.muster.io",
        "--resource-name=" + own.runs().name());
    bind(sandbox, a, a, "one-gang");
    accounts.add(named);
    return accounts;
  }

  private static Account account(
      Sandbox sandbox, String home, String name, Set<String> namespaces) {
    make(sandbox, home, name);
    namespaces.forEach(namespace -> allow(sandbox, namespace, home, name, PODS_AND_GANGS));
    return new Account(name, namespaces, false, false);
  }

  private static String make(Sandbox sandbox, String home, String name) {
    sandbox.kubectl("-n", home, "create", "serviceaccount", name);
    return name;
  }

  private static void allow(
      Sandbox sandbox, String namespace, String home, String name, String resources) {
    sandbox.kubectl("-n", namespace, "create", "role", name, "--verb=list", resources);
    bind(sandbox, namespace, home, name);
  }

  private static void bind(Sandbox sandbox, String namespace, String home, String name) {
    sandbox.kubectl(
        "-n",
        namespace,
        "create",
        "rolebinding",
        name,
        "--role=" + name,
        "--serviceaccount=" + home + ":" + name);
  }

  private static void allowEverywhere(Sandbox sandbox, String home, String name, String resources) {
    var role = name + "-" + home;
    sandbox.kubectl("create", "clusterrole", role, "--verb=list", resources);
    sandbox.kubectl(
        "create",
        "clusterrolebinding",
        role,
        "--clusterrole=" + role,
        "--serviceaccount=" + home + ":" + name);
  }

  private static String token(Sandbox sandbox, TestSpace home, Account account) {
    return sandbox
        .kubectl(
            "-n", home.namespace(), "create", "token", account.name(), "--audience=muster-board")
        .strip();
  }

  /** What the account is said to have is what {@code kubectl auth can-i} says. */
  private static void agreesWithTheApiServer(
      Sandbox sandbox, TestSpace home, TestSpace other, Account account) {
    for (var space : List.of(home, other)) {
      assertThat(
              can(sandbox, home, account, "gangs.muster.io", space.namespace())
                  && can(sandbox, home, account, "pods", space.namespace()))
          .as(account.name() + " in " + space.namespace())
          .isEqualTo(account.all() || account.namespaces().contains(space.namespace()));
    }
    assertThat(can(sandbox, home, account, "nodes", "")).isEqualTo(account.nodes());
  }

  private static boolean can(
      Sandbox sandbox, TestSpace home, Account account, String resource, String namespace) {
    var command = new ArrayList<>(List.of("auth", "can-i", "list", resource));
    if (!namespace.isEmpty()) {
      command.addAll(List.of("-n", namespace));
    }
    command.add("--as=system:serviceaccount:%s:%s".formatted(home.namespace(), account.name()));
    command.addAll(List.of("--as-group=system:serviceaccounts", "--as-group=system:authenticated"));
    try {
      return sandbox.kubectl(command.toArray(String[]::new)).contains("yes");
    } catch (io.muster.sandbox.SandboxException _) {
      // It ends with 1 for no.
      return false;
    }
  }

  /** As a user does it. */
  @Test
  void aUserSignsInWithATokenSeesTheirGangAndSignsOut(Sandbox sandbox, TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    var team = Team.in(space);
    var account = account(sandbox, space.namespace(), "clicks", Set.of(space.namespace()));
    try (var service = BoardService.start(sandbox);
        var browser = Browser.open(1440, 900)) {
      browser.go(service.address() + "/#/line");
      browser.awaitText(".signin", "Token");
      browser.click("#token");
      browser.keys(token(sandbox, space, account), Keys.ENTER);
      browser.awaitText(".message", "no room for 9 members together");
      browser.awaitText(".viewer", "clicks");
      assertThat(browser.texts(".gangcell")).anyMatch(cell -> cell.contains(team.waits().name()));

      browser.goTo("#/whatif");
      browser.click("button.ask");
      browser.awaitText(".told .phase", "Never starts");

      browser.click(".viewer button");
      browser.awaitText(".signin", "You have signed out.");
      assertThat(browser.texts("body")).noneMatch(text -> text.contains(team.waits().name()));

      // What one has asked is not for the next.
      var next = account(sandbox, space.namespace(), "next", Set.of());
      browser.click("#token");
      browser.keys(token(sandbox, space, next), Keys.ENTER);
      browser.awaitText(".viewer", "next");
      browser.goTo("#/whatif");
      browser.awaitText(".told", "Say what pods you would make");
    }
  }

  /** Row B5: what is taken away is gone soon, also from a window that is open. */
  @Test
  void aRightThatIsTakenAwayIsGoneFromThePage(Sandbox sandbox, TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    var team = Team.in(space);
    var home = space.namespace();
    var account = account(sandbox, home, "leaves", Set.of(home));
    try (var service = BoardService.start(sandbox)) {
      var cookie = service.cookie("127.0.0.2", token(sandbox, space, account));
      Await.until("the gang to be seen", SOON, () -> gangs(service.view(cookie)).size() == 2);

      sandbox.kubectl("-n", home, "delete", "rolebinding", "leaves");
      Await.until(
          "the gang to be seen no more", FORGOTTEN, () -> gangs(service.view(cookie)).isEmpty());
      assertThat(
              service
                  .get("/api/v1/gangs/%s/%s".formatted(home, team.runs().name()), "Cookie", cookie)
                  .statusCode())
          .isEqualTo(404);
    }
  }

  private static List<String> gangs(JsonNode view) {
    return view.at("/gangs").valueStream().map(gang -> gang.at("/name").asText()).toList();
  }

  /** Row B5: wrong tokens and guessed cookies. */
  @Test
  void whoGuessesIsHeldOffAndTakesNothingFromOthers(Sandbox sandbox, TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    Team.in(space);
    var account = account(sandbox, space.namespace(), "honest", Set.of(space.namespace()));
    try (var service = BoardService.start(sandbox);
        var guesser = BoardService.client("127.0.0.3")) {
      var cookie = "%s-%d=".formatted(SignedIn.COOKIE, service.address().getPort());
      for (var path : List.of("/api/v1/view", "/api/v1/stream", "/api/v1/session")) {
        assertThat(service.get(path).statusCode()).as(path).isEqualTo(401);
        assertThat(service.get(path, "Cookie", cookie + "A".repeat(43)).statusCode())
            .isEqualTo(401);
      }
      var token = token(sandbox, space, account);
      assertThat(service.get("/api/v1/session", "Authorization", "Bearer " + token).body())
          .contains("system:serviceaccount:%s:honest".formatted(space.namespace()));
      var codes = new TreeSet<Integer>();
      for (int i = 0; i < 60; i++) {
        codes.add(service.signIn(guesser, "guess-" + i).statusCode());
      }
      assertThat(codes).containsExactly(401, 429);
      assertThat(service.cookie("127.0.0.4", token)).startsWith(cookie);

      // Browsers of some years ago say where a page is from by this alone.
      assertThat(service.signIn(guesser, "guess", "Origin", service.address().toString()))
          .extracting(HttpResponse::statusCode)
          .isNotEqualTo(403);
      assertThat(service.signIn(guesser, "guess", "Origin", "https://evil.example"))
          .extracting(HttpResponse::statusCode)
          .isEqualTo(403);
      var foreign = service.signIn(guesser, "x".repeat(20_000));
      assertThat(foreign.statusCode()).isIn(400, 401);
      var elsewhere =
          sandbox
              .kubectl("-n", space.namespace(), "create", "token", "honest", "--audience=elsewhere")
              .strip();
      try (var other = BoardService.client("127.0.0.6")) {
        assertThat(service.signIn(other, elsewhere).statusCode()).isEqualTo(401);
      }
    }
  }

  /** Row B3: who leads changes, and the page says so and goes on. */
  @Test
  void thePageSaysThatNoMusterLeadsAndIsLiveAgainWithTheNext(Sandbox sandbox, TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    Team.in(space);
    var home = space.namespace();
    var account = account(sandbox, home, "watches", Set.of(home));
    try (var service = BoardService.start(sandbox)) {
      var cookie = service.cookie("127.0.0.5", token(sandbox, space, account));
      Await.until("Muster to lead", SOON, () -> isLed(service, cookie));
      var muster = sandbox.muster().orElseThrow();
      muster.freeze();
      try {
        Await.until("the page to say so", SOON, () -> !isLed(service, cookie));
      } finally {
        muster.resume();
      }
      Await.until("it to lead again", SOON, () -> isLed(service, cookie));
    }
  }

  private static boolean isLed(BoardService service, String cookie) {
    return service.view(cookie).at("/source/led").asBoolean();
  }
}
