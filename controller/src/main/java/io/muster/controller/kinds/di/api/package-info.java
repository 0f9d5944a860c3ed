/**
 * The kinds of group diengine.opendilab.org as users write them and as the API server stores them.
 *
 * <p>Wire types: a field that is absent in JSON is null in Java, and nowhere else in Muster.
 * Whatever the API server has let in can be read; what is wrong with it is said by {@link
 * io.muster.controller.kinds.di.api.DiValidation}.
 */
package io.muster.controller.kinds.di.api;
