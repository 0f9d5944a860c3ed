package io.muster.controller.kinds.di.server.call;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * What was asked. Immutable.
 *
 * @param path as it was written, without the query
 * @param query as it was written; empty if there is none
 * @param address of the caller
 * @param token that the caller showed
 * @param gone says when the caller has hung up; asked for only by who waits long
 */
@SuppressWarnings("ArrayRecordComponent") // made, answered and forgotten
public record Call(
    String method,
    String path,
    String query,
    byte[] body,
    String address,
    Optional<String> token,
    Supplier<CompletableFuture<Void>> gone) {}
